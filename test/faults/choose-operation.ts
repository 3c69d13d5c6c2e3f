/** Chooses random operations on the files of a step. */
import type { Operation, Relocation, Layer, FolderPath } from './operations';
import { PRUNES } from './prune-rules';
import type { Random } from '../support/random';

/** The files and folders available to an operation. */
export interface StepFixture {
  folder: string;
  /** Path of the folder on the drive. */
  path: string;
  /** Ids of the files in the folder. */
  files: string[];
  names: string[];
  /** Ids of the subfolders, which contain files with the same names. */
  folders: string[];
  /** Id of a trashed file. */
  trashed: string;
  /** Id of a subfolder with dated files. */
  backups: string;
  nameOf: (id: string) => string | undefined;
  /** A folder on disk. */
  disk: string;
  /** Random content of a random size. */
  randomContent: (random: Random) => Buffer;
}

type Choice = (random: Random, fixture: StepFixture) => Operation;

/** Operations of both layers. */
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
  (random, fixture) => randomRelocation('move', random, { ...fixture, id: random.pick(fixture.files) }),
  (random, fixture) => randomRelocation('copy', random, { ...fixture, id: random.pick(fixture.files) }),
  (random, fixture) =>
    randomRelocation('restore', random, {
      ...fixture,
      id: random.chance(0.9) ? fixture.trashed : random.pick(fixture.files),
    }),
];

/** No node only reads metadata. */
const CLIENT_CHOICES: Choice[] = [
  ...CHOICES,
  (random, { files }) => ({ kind: 'metadata', id: random.pick(files) }),
];

/** Only the prune node applies retention rules. */
const NODE_CHOICES: Choice[] = [...CHOICES, randomPrune, randomPrune];

const IF_EXISTS = ['duplicate', 'replace', 'skip', 'rename', 'error'] as const;

function randomRelocation(
  kind: Relocation['kind'],
  random: Random,
  fixture: StepFixture & { id: string },
): Operation {
  const { id, folder, folders, names } = fixture;
  const folderId = random.pick(['', folder, ...folders, ...folders]);
  const target = random.chance(0.3) ? { folderPath: randomFolderPath(random, fixture) } : {};
  // The move node needs a folder or a name.
  const isNamed = (folderId === '' && !target.folderPath) || random.chance(0.5);
  const name = isNamed ? random.pick([...names, 'fresh.bin']) : '';
  // A path can't identify a file to restore that isn't in the trash.
  const own = kind === 'restore' && id !== fixture.trashed ? undefined : fixture.nameOf(id);
  const path = own !== undefined && random.chance(0.4) ? { path: `${fixture.path}/${own}` } : {};
  const ifExists = random.pick([...IF_EXISTS, 'replace'] as const);
  return { kind, id, ...path, folder: folderId, ...target, name, ifExists };
}

function randomPrune(random: Random, { backups, folder, path }: StepFixture): Operation {
  const target = random.chance(0.5)
    ? { folderPath: { baseId: folder, names: ['backups'], path: `${path}/backups` } }
    : {};
  return { kind: 'prune', folder: backups, ...target, rules: random.between(0, PRUNES.length - 1) };
}

/** The path of a folder that exists, may exist, or doesn't exist. */
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

function randomUpload(random: Random, fixture: StepFixture): Operation {
  const { folder, names, disk, randomContent } = fixture;
  const target = random.chance(0.4) ? { folderPath: randomFolderPath(random, fixture) } : {};
  const ifExists = random.pick(IF_EXISTS);
  const name = random.chance(0.5) ? random.pick(names) : 'fresh.bin';
  const path = random.chance(0.5) ? { path: `${disk}/source` } : {};
  return { kind: 'upload', folder, ...target, name, content: randomContent(random), ifExists, ...path };
}

function randomDownload(random: Random, { files, disk }: StepFixture): Operation {
  const output = random.pick(['buffer', 'string', 'file', 'file'] as const);
  return { kind: 'download', id: random.pick(files), output, path: `${disk}/target` };
}

export function chooseOperation(random: Random, fixture: StepFixture, layer: Layer): Operation {
  return random.pick(layer === 'nodes' ? NODE_CHOICES : CLIENT_CHOICES)(random, fixture);
}
