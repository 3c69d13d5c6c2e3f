import type { NodeMessage, NodeStatus } from 'node-red';

/** What a Node-RED in a process of its own tells the one that started it. */
export type ChildMessage =
  | { type: 'listening'; port: number }
  | { type: 'started' }
  | { type: 'failed'; error: string }
  | { type: 'log'; level: number; line: string }
  | { type: 'status'; id: string; status: NodeStatus }
  | { type: 'output'; id: string; msg: NodeMessage };
