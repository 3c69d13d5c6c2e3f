import type { NodeMessage, NodeStatus } from 'node-red';

/** Messages of a Node-RED child process to its parent. */
export type ChildMessage =
  | { type: 'listening'; port: number }
  | { type: 'started' }
  | { type: 'failed'; error: string }
  | { type: 'log'; level: number; line: string }
  | { type: 'status'; id: string; status: NodeStatus }
  | { type: 'output'; id: string; msg: NodeMessage };
