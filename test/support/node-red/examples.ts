/** Runs the shipped examples in a real Node-RED with the local drive. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { NodeMessage } from 'node-red';
import { CREDENTIALS, customAccount } from './account';
import { ROOT } from './built-package';
import type { DeployedNode, NodeRed } from './node-red';

export const EXAMPLES = path.join(ROOT, 'examples');

/** Replaces the time in an example, so that no test depends on the day on which it runs. */
export const at = (time: Date): Readonly<Record<string, string>> => ({
  'new Date()': `new Date(${time.getTime()})`,
});

/** Size of the file that the examples upload. */
const ARCHIVE_SIZE = 300_000;

/** Shorter waits, by node type. */
const SHORTER: Readonly<Record<string, object>> = {
  'cloud-drive-watch': { interval: 1 },
  trigger: { duration: '200', units: 'ms' },
};

export class Examples {
  /** Deployed examples by name. */
  private readonly texts = new Map<string, string>();
  /** Number of messages of each Debug node before the first deploy. */
  private readonly earlierCounts = new Map<string, number>();

  constructor(
    private readonly nodeRed: NodeRed,
    /** An existing folder for uploads and downloads. */
    private readonly folder: string,
  ) {}

  /** Deploys a shipped example. @param replacements of texts in it, such as paths and {@link at} */
  async deploy(
    name: string,
    driveUrl: string,
    replacements: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const text = await readFile(path.join(EXAMPLES, `${name}.json`), 'utf8');
    await this.deployText(name, text, driveUrl, replacements);
  }

  /** Deploys an example with an account of the drive and existing paths. {@link debugMessage} returns its debug output. */
  async deployText(
    name: string,
    text: string,
    driveUrl: string,
    replacements: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    this.texts.set(name, text);
    const archive = path.join(this.folder, 'backup.tar.gz');
    await writeFile(archive, Buffer.alloc(ARCHIVE_SIZE, 'archive'));
    const documents = path.join(this.folder, 'home', 'documents');
    await mkdir(documents, { recursive: true });
    await writeFile(path.join(documents, 'notes.txt'), 'notes');
    const existing = [
      // Those of the test come first: they may replace the same paths.
      ...Object.entries(replacements),
      ['/home/pi/backup.tar.gz', archive],
      ['/home/pi/documents', documents],
      ['/home/pi/restored', path.join(this.folder, 'restored')],
      ['"/tmp/"', `"${this.folder}/"`],
    ] as const;
    const mine = existing.reduce((found, [from, to]) => found.replaceAll(from, to), text);
    const flow = JSON.parse(mine) as DeployedNode[];
    const debugs = flow.filter(({ type }) => type === 'debug');
    const ids = new Map(debugs.map((debug) => [debug.id, outputId(name, String(debug['name']))]));
    for (const id of ids.values()) {
      if (!this.earlierCounts.has(id)) this.earlierCounts.set(id, (await this.nodeRed.outputs(id, 0)).length);
    }
    const rewired = (wires: unknown): string[][] =>
      ((wires ?? []) as string[][]).map((each) => each.map((id) => ids.get(id) ?? id));
    await this.nodeRed.deploy(
      flow.map((node) => {
        if (node.type === 'debug') return { ...node, id: ids.get(node.id) ?? '', type: 'test-output' };
        if (node.type !== 'cloud-drive-account')
          return { ...node, ...SHORTER[node.type], wires: rewired(node['wires']) };
        return { ...node, ...customAccount(driveUrl), credentials: CREDENTIALS };
      }),
    );
  }

  /** Presses the button of an Inject node. */
  async pressInject(name: string, index = 0): Promise<void> {
    const injects = (JSON.parse(this.texts.get(name) ?? '[]') as DeployedNode[]).filter(
      ({ type }) => type === 'inject',
    );
    const response = await this.nodeRed.request(`/inject/${injects[index]?.id}`, { method: 'POST' });
    if (!response.ok) throw new Error(`inject: ${response.status}`);
  }

  /** The nth message of a Debug node since the example was first deployed. */
  async debugMessage(name: string, debug: string, nth = 1): Promise<NodeMessage> {
    const id = outputId(name, debug);
    const earlier = this.earlierCounts.get(id);
    if (earlier === undefined) throw new Error(`${name} has no debug node ${debug}`);
    const count = earlier + nth;
    return (await this.nodeRed.outputs(id, count))[count - 1]!;
  }
}

/** An output id that is unique across examples. */
function outputId(example: string, debug: string): string {
  return `${example}: ${debug}`;
}
