/** An operation of the campaign, by chance, on what there is. */
import type { Operation, Relocation, Layer, FolderPath } from './operations';
import { PRUNES } from './prune-rules';
import type { Random } from '../support/random';

/** What there is when an operation is chosen. */
export interface StepFixture {
  folder: string;
  /** Of the folder, from the root on. */
  path: string;
  /** Ids of files with content in it; beside them may be folders. */
  files: string[];
  names: string[];
  /** Ids of folders in it, with files of the same names. */
  folders: string[];
  /** Id of a file with content in its trash. */
  trashed: string;
  /** Id of a folder in it with dated files. */
  backups: string;
  /** Of a file in it. */
  nameOf: (id: string) => string | undefined;
  /** A folder on this machine's disk. */
  disk: string;
  /** A content, large or small. */
  randomContent: (random: Random) => Buffer;
}

type Choice = (random: Random, scene: StepFixture) => Operation;

/** What both halves of the campaign can do. */
const CHOICES: Choice[] = [
  () => ({ kind: 'about' }),
  (random, { folder }) => ({ kind: 'list', folder, each: random.chance(0.5) }),
  (random, { folder, names }) => ({
    kind: 'search',
    folder,
    text: random.pick(names),
    each: random.chance(0.5),
  }),
  (random, { files }) => ({ kind: 'delete', ids: random.chance(0.5) ? files : [random.pick(files)] }),
  (random, { files }) => ({ kind: 'trash', ids: random.chance(0.5) ? files : [random.pick(files)] }),
  (random, { folder }) => ({
    kind: 'createFolder',
    folder,
    name: random.pick(['new folder', 'folder 1']),
  }),
  randomUpload,
  randomUpload,
  randomUpload,
  randomDownload,
  randomDownload,
  (random, scene) => randomRelocation('move', random, { ...scene, id: random.pick(scene.files) }),
  (random, scene) => randomRelocation('copy', random, { ...scene, id: random.pick(scene.files) }),
  (random, scene) =>
    randomRelocation('restore', random, {
      ...scene,
      id: random.chance(0.9) ? scene.trashed : random.pick(scene.files),
    }),
];

/** No node asks for nothing but metadata. */
const CLIENT_CHOICES: Choice[] = [
  ...CHOICES,
  (random, { files }) => ({ kind: 'metadata', id: random.pick(files) }),
];

/** The client knows a rule, but removes nothing by it. */
const NODE_CHOICES: Choice[] = [...CHOICES, randomPrune, randomPrune];

const IF_EXISTS = ['duplicate', 'replace', 'skip', 'rename', 'error'] as const;

function randomRelocation(
  kind: Relocation['kind'],
  random: Random,
  scene: StepFixture & { id: string },
): Operation {
  const { id, folder, folders, names } = scene;
  const place = random.pick(['', folder, ...folders, ...folders]);
  const way = random.chance(0.3) ? { way: randomFolderPath(random, scene) } : {};
  // A node that is told neither a place nor a name has nothing to do.
  const isNamed = (place === '' && !way.way) || random.chance(0.5);
  const name = isNamed ? random.pick([...names, 'fresh.bin']) : '';
  // By a path, a restore finds what is in the trash; of what isn't, one of the same name may be there.
  const own = kind === 'restore' && id !== scene.trashed ? undefined : scene.nameOf(id);
  const path = own !== undefined && random.chance(0.4) ? { path: `${scene.path}/${own}` } : {};
  const ifExists = random.pick([...IF_EXISTS, 'replace'] as const);
  return { kind, id, ...path, folder: place, ...way, name, ifExists };
}

function randomPrune(random: Random, { backups, folder, path }: StepFixture): Operation {
  const way = random.chance(0.5)
    ? { way: { from: folder, names: ['backups'], path: `${path}/backups` } }
    : {};
  return { kind: 'prune', folder: backups, ...way, rules: random.between(0, PRUNES.length - 1) };
}

/** To a folder that is there, or may be, or isn't. */
function randomFolderPath(random: Random, { folder, path }: StepFixture): FolderPath {
  const names = random.pick([
    [],
    ['folder 1'],
    ['folder 1', 'deep'],
    ['new folder'],
    ['new folder', 'a', 'b'],
  ]);
  return { baseId: folder, names, path: [path, ...names].join('/') };
}

function randomUpload(random: Random, scene: StepFixture): Operation {
  const { folder, names, disk, randomContent } = scene;
  const way = random.chance(0.4) ? { way: randomFolderPath(random, scene) } : {};
  const ifExists = random.pick(IF_EXISTS);
  const name = random.chance(0.5) ? random.pick(names) : 'fresh.bin';
  const path = random.chance(0.5) ? { path: `${disk}/source` } : {};
  return { kind: 'upload', folder, ...way, name, content: randomContent(random), ifExists, ...path };
}

function randomDownload(random: Random, { files, disk }: StepFixture): Operation {
  const output = random.pick(['buffer', 'string', 'file', 'file'] as const);
  return { kind: 'download', id: random.pick(files), output, path: `${disk}/target` };
}

export function chooseOperation(random: Random, scene: StepFixture, layer: Layer): Operation {
  return random.pick(layer === 'nodes' ? NODE_CHOICES : CLIENT_CHOICES)(random, scene);
}
