/** Node-REDs for all suites of a process, which use them one after the other. */
import { atEnd } from '../run/at-end';
import { ALL_CORE_NODES, type NodeRed, type NodeRedOptions, startNodeRed } from './node-red';

class SharedNodeRed {
  /** Removes the flows at the end of a suite. Without flows, Node-RED also forgets the credentials. */
  readonly flows = { close: async () => (await this.started)?.deploy([]) };
  private started: Promise<NodeRed> | undefined;

  constructor(private readonly options: NodeRedOptions) {
    atEnd(() => this.close());
  }

  get(): Promise<NodeRed> {
    return (this.started ??= startNodeRed(this.options));
  }

  /** Ends it. The next suite starts another one. */
  async close(): Promise<void> {
    const last = this.started;
    this.started = undefined;
    await (await last)?.close();
  }
}

/** With default settings. */
const ordinary = new SharedNodeRed({});
/** For examples, whose flows contain more core nodes. */
export const nodeRedForExamples = new SharedNodeRed({ settings: ALL_CORE_NODES });

export const sharedNodeRed = (): Promise<NodeRed> => ordinary.get();
export const closeSharedNodeRed = (): Promise<void> => ordinary.close();
export const sharedFlows = ordinary.flows;
