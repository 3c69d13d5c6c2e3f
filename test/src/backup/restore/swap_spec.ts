/** Moving a staged tree into the target, and completing that after the process was killed at any point. */
import 'should';
import { createHash } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { foldersIn, recoverSwap, stagedIn, swap } from '../../../../src/backup/restore/swap';
import type { SwapPlaces } from '../../../../src/backup/restore/swap-journal';
import { type SwapPlan, planOf, swapAs, writeJournal } from '../../../support/archive/swap-plan';
import { contentsOf, writeTree } from '../../../support/archive/tree';
import { rejected } from '../../../support/client/rejected';
import { useDisk } from '../../../support/disk';
import { checkAsyncProperty } from '../../../support/property';
import type { FolderEntry } from '../../../../src/backup/entries/extract';

type Contents = Record<string, string>;

const NOBODY = 65534;

/** Paths of up to three names, so that files, folders and links often meet in one place. */
const names = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });

/** A tree with the content `label` in its files; a path that is a folder elsewhere is left out. */
const trees = (label: string): fc.Arbitrary<Contents> =>
  fc.array(fc.tuple(names, fc.constantFrom('file', 'link', 'folder')), { maxLength: 8 }).map((entries) => {
    const tree: Contents = {};
    for (const [parts, kind] of entries) {
      const path = parts.join('/');
      const isTaken = Object.keys(tree).some((other) => {
        const bare = other.replace(/\/$/, '');
        return (
          bare === path || bare.startsWith(`${path}/`) || (path.startsWith(`${bare}/`) && bare === other)
        );
      });
      if (isTaken) continue;
      tree[kind === 'folder' ? `${path}/` : path] = { file: label, link: `-> ${label}`, folder: '' }[kind];
    }
    return tree;
  });

/** What `replace` leaves: undefined for a conflict, where a file would replace a folder with content. */
function overlay(older: Contents, newer: Contents): Contents | undefined {
  const result: Contents = { ...older };
  for (const [path, content] of Object.entries(newer)) {
    const bare = path.replace(/\/$/, '');
    const below = Object.keys(result).filter((other) => other.startsWith(`${bare}/`) && other !== `${bare}/`);
    if (path === bare && below.some((other) => other in older)) return undefined;
    if (path === bare) delete result[`${bare}/`];
    else delete result[bare];
    result[path] = content;
  }
  return result;
}

describe('swap', () => {
  const path = useDisk();
  const records = new Map<string, string>();
  let run = 0;

  /** @returns the new paths of what was moved aside */
  const recover = async (places: SwapPlaces): Promise<string[]> =>
    (await recoverSwap(places, records))?.movedAside ?? [];

  async function prepare(older: Contents, newer: Contents): Promise<SwapPlaces> {
    const folder = path(String(run++));
    const places = { target: join(folder, 'target'), work: join(folder, '.target.restore') };
    await writeTree(places.target, { './': '', ...older });
    await writeTree(stagedIn(places.work), { './': '', ...newer });
    return places;
  }

  const writeFolderEntry = ({ work }: SwapPlaces, entry: FolderEntry): Promise<void> =>
    writeFile(foldersIn(work), JSON.stringify(entry));

  /** Makes the first renames of a swap: for each path, the old entry goes aside and the new one takes its place. */
  async function renameSome({ target, work }: SwapPlaces, { moves }: SwapPlan, count: number): Promise<void> {
    let left = count;
    const move = async (from: string, to: string): Promise<void> => {
      if (left-- <= 0 || !(await lstat(from).catch(() => undefined))) return;
      await mkdir(dirname(to), { recursive: true });
      await rename(from, to);
    };
    for (const each of moves) {
      await move(join(target, each), join(work, 'old', each));
      await move(join(stagedIn(work), each), join(target, each));
    }
  }

  it('A swap leaves the new tree over the old one, for any two trees', async () => {
    await checkAsyncProperty(
      fc.asyncProperty(trees('old'), trees('new'), async (older, newer) => {
        const places = await prepare(older, newer);
        const [before, staged] = [await contentsOf(places.target), await contentsOf(stagedIn(places.work))];
        const expected = overlay(before, staged);
        if (!expected) {
          await rejected(planOf(places), 'conflict', 'conflict_folder_in_place');
          return;
        }
        await swapAs(places, await planOf(places), 'replace');
        (await contentsOf(places.target)).should.deepEqual(expected);
        (await readdir(places.work)).should.not.containEql('journal');
      }),
      60,
    );
  });

  it('A swap that was killed after any number of renames is completed by the next run', async () => {
    await checkAsyncProperty(
      fc.asyncProperty(trees('old'), trees('new'), fc.nat(12), async (older, newer, count) => {
        const places = await prepare(older, newer);
        const [before, staged] = [await contentsOf(places.target), await contentsOf(stagedIn(places.work))];
        const expected = overlay(before, staged);
        fc.pre(expected !== undefined);
        const moves = await planOf(places);
        await writeJournal(places, moves, records);
        await renameSome(places, moves, count);
        await recover(places);
        (await contentsOf(places.target)).should.deepEqual(expected);
        (await readdir(places.work)).should.not.containEql('journal');
      }),
      60,
    );
  });

  it('A swap that fails is undone: the target is as it was', async () => {
    await checkAsyncProperty(
      fc.asyncProperty(trees('old'), trees('new'), fc.nat(12), async (older, newer, count) => {
        const places = await prepare(older, newer);
        const before = await contentsOf(places.target);
        const moves = await planOf(places).catch(() => undefined);
        fc.pre(moves !== undefined);
        const failing = { ...moves, moves: [...moves.moves, 'blocked/entry'] };
        await writeTree(places.target, { blocked: 'a file where a folder is needed' });
        await writeTree(stagedIn(places.work), { 'blocked/entry': 'new' });
        await writeJournal(places, failing, records);
        await renameSome(places, moves, count);
        await recover(places);
        await rm(join(places.target, 'blocked'));
        (await contentsOf(places.target)).should.deepEqual(before);
      }),
      60,
    );
  });

  it('A swap that fails at its end is undone without losing files that were created meanwhile', async () => {
    const places = await prepare(
      { 'home/a': 'old', 'other/b': 'old' },
      { 'home/a': 'new', 'other/b': 'new' },
    );
    const moves = await planOf(places);
    await writeTree(places.target, { 'home/created': 'meanwhile' });
    // A folder that stays, but has vanished.
    await mkdir(join(stagedIn(places.work), 'missing'));
    await writeFolderEntry(places, { path: 'missing', mode: 0o755, mtime: 0 });
    await swapAs(places, moves, 'replace').should.be.rejectedWith({ code: 'ENOENT' });
    (await contentsOf(places.target)).should.have.properties({
      'home/a': 'old',
      'home/created': 'meanwhile',
      'other/b': 'old',
    });
  });

  it('A folder is moved as a whole if the target has nothing else in it', async () => {
    const tree = { 'home/a/1': 'x', 'home/a/2': 'x', 'home/b/1': 'x' };
    (await planOf(await prepare(tree, tree))).moves.should.deepEqual(['home']);
    const kept = await prepare({ ...tree, 'home/a/3': 'x' }, tree);
    (await planOf(kept)).moves.sort().should.deepEqual(['home/a/1', 'home/a/2', 'home/b']);
  });

  it('A file that was created after the plan is kept', async () => {
    const places = await prepare({ 'home/sub/a': 'old' }, { 'home/sub/a': 'new' });
    const moves = await planOf(places);
    await writeTree(places.target, { 'home/sub/late': 'late', 'home/later/': '' });
    await swapAs(places, moves, 'replace');
    (await contentsOf(places.target)).should.deepEqual({
      'home/': '',
      'home/sub/': '',
      'home/sub/a': 'new',
      'home/sub/late': 'late',
      'home/later/': '',
    });
  });

  it('With the policy error, a file that was created after the plan is a conflict, and the target stays', async () => {
    const places = await prepare({}, { a: 'new', b: 'new' });
    const moves = await planOf(places);
    await writeFile(join(places.target, 'b'), 'late');
    await rejected(swapAs(places, moves, 'error'), 'conflict', 'conflict_target_not_empty');
    (await contentsOf(places.target)).should.deepEqual({ b: 'late' });
  });

  it('Folders that stay get the attributes of the archive, or keep their own mode', async () => {
    const places = await prepare(
      { 'one/kept': 'old', 'two/kept': 'old' },
      { 'one/a': 'new', 'two/a': 'new' },
    );
    await chmod(join(places.target, 'two'), 0o500);
    const moves = await planOf(places);
    await writeFolderEntry(places, { path: 'one', mode: 0o750, mtime: 1_500_000_000.5 });
    await swapAs(places, moves, 'replace');
    const [one, two] = [await lstat(join(places.target, 'one')), await lstat(join(places.target, 'two'))];
    (one.mode & 0o777).should.equal(0o750);
    one.mtimeMs.should.equal(1_500_000_000_500);
    (two.mode & 0o777).should.equal(0o500);
  });

  for (const [kind, content] of [
    ['A file', 'created'],
    ['A link', '-> created'],
  ] as const) {
    it(`${kind} that someone created while a swap was interrupted is kept under another name`, async () => {
      const places = await prepare({ 'a.txt': 'old', b: 'old' }, { 'a.txt': 'new', b: 'new' });
      const moves = await planOf(places);
      await writeJournal(places, moves, records);
      await renameSome(places, { ...moves, moves: ['a.txt'] }, 1);
      await writeTree(places.target, { 'a.txt': content, 'a (1).txt': 'own' });
      (await recover(places)).should.deepEqual([join(places.target, 'a (2).txt')]);
      const expected = { 'a.txt': 'new', b: 'new', 'a (1).txt': 'own', 'a (2).txt': content };
      (await contentsOf(places.target)).should.deepEqual(expected);
    });
  }

  it('A folder that someone created while a swap was interrupted is kept, also if the swap is undone', async () => {
    const places = await prepare({ 'home/a': 'old' }, { 'home/a': 'new' });
    const moves = await planOf(places);
    await writeTree(places.target, { blocked: 'a file where a folder is needed' });
    await writeTree(stagedIn(places.work), { 'blocked/entry': 'new' });
    await writeJournal(places, { ...moves, moves: [...moves.moves, 'blocked/entry'] }, records);
    await renameSome(places, moves, 1);
    await writeTree(places.target, { 'home/created': 'meanwhile' });
    (await recover(places)).should.deepEqual([join(places.target, 'home (1)')]);
    (await contentsOf(places.target)).should.deepEqual({
      ...{ blocked: 'a file where a folder is needed', 'home/': '', 'home/a': 'old' },
      ...{ 'home (1)/': '', 'home (1)/created': 'meanwhile' },
    });
  });

  /** The beginning of a swap that fails: `home` and `file` are in the target, and `blocked/entry` can't be moved. */
  async function failLater(older: Contents, newer: Contents): Promise<SwapPlaces> {
    const places = await prepare(older, newer);
    const plan = await planOf(places);
    await writeTree(places.target, { blocked: 'a file where a folder is needed' });
    await writeTree(stagedIn(places.work), { 'blocked/entry': 'new' });
    await writeJournal(places, { ...plan, moves: [...plan.moves, 'blocked/entry'] }, records);
    await renameSome(places, plan, Infinity);
    await laterThan(join(places.work, 'journal'));
    return places;
  }

  /** Until the time of a new file differs: file systems store times with a limited precision. */
  async function laterThan(file: string): Promise<void> {
    const { mtimeMs } = await lstat(file);
    const probe = path('probe');
    do await writeFile(probe, '');
    while ((await lstat(probe)).mtimeMs <= mtimeMs);
  }

  it('What others created in a new folder before its swap is undone stays in the target', async () => {
    const home = { 'home/sub/a': 'new', 'home/other/a': 'new' };
    const places = await failLater({ 'home/sub/a': 'old', 'home/other/a': 'old' }, home);
    await writeTree(places.target, { 'home/sub/created': 'meanwhile', 'home/more/created': 'meanwhile' });
    // Moved there, with the times that it had elsewhere.
    await writeTree(path(), { 'elsewhere/deep/file': 'older' });
    await utimes(path('elsewhere'), 1, 1);
    await rename(path('elsewhere'), join(places.target, 'home/sub/elsewhere'));
    (await recover(places)).should.deepEqual([]);
    const { blocked: _blocked, ...left } = await contentsOf(places.target);
    left.should.deepEqual({
      ...{ 'home/': '', 'home/sub/': '', 'home/other/': '', 'home/sub/a': 'old', 'home/other/a': 'old' },
      ...{ 'home/sub/created': 'meanwhile', 'home/more/': '', 'home/more/created': 'meanwhile' },
      ...{ 'home/sub/elsewhere/': '', 'home/sub/elsewhere/deep/': '' },
      'home/sub/elsewhere/deep/file': 'older',
    });
  });

  describe('in a folder where others may rename a folder of root', () => {
    /** To a path in the target, where it takes the place of what is there. */
    async function renameHome({ target }: SwapPlaces, name: string): Promise<void> {
      await rename(join(target, name), path('moved')).catch(() => undefined);
      await rename(path('secrets'), join(target, name));
    }

    beforeEach(async () => {
      await rm(path('moved'), { recursive: true, force: true });
      await writeTree(path('secrets'), { file: 'secret', 'a/file': 'secret' });
    });

    const secretsIn = async ({ target }: SwapPlaces): Promise<string[]> =>
      Object.entries(await contentsOf(target)).flatMap(([name, text]) => (text === 'secret' ? [name] : []));

    it('A folder in the place of a file is kept under another name when the swap is completed', async () => {
      const places = await prepare({ b: 'old' }, { b: 'new' });
      await writeJournal(places, await planOf(places), records);
      await renameHome(places, 'b');
      (await recover(places)).should.deepEqual([join(places.target, 'b (1)')]);
      (await secretsIn(places)).should.have.length(2);
      (await contentsOf(places.target)).should.have.property('b', 'new');
    });

    it('A folder that takes the place of a file after the plan was made is kept under another name', async () => {
      const places = await prepare({ a: 'old', b: 'old' }, { a: 'new', b: 'new' });
      const plan = await planOf(places);
      await renameHome(places, 'b');
      const movedAside: string[] = [];
      await swapAs(places, plan, 'replace', (paths) => movedAside.push(...paths));
      movedAside.should.deepEqual([join(places.target, 'b (1)')]);
      (await secretsIn(places)).should.have.length(2);
      (await contentsOf(places.target)).should.have.properties({ a: 'new', b: 'new' });
    });

    it('A folder that another user has put in a folder is kept if the archive has a file in its place', async () => {
      const places = await prepare({ 'home/a': 'old' }, { 'home/a': 'new' });
      const plan = await planOf(places);
      await renameHome(places, 'home');
      await swapAs(places, plan, 'replace');
      (await secretsIn(places)).should.eql(['home/a (1)/file', 'home/file']);
    });

    for (const name of ['home', 'file'])
      it(`A folder in the place of ${name} stays in the target when the swap is undone`, async () => {
        const places = await failLater({ file: 'old', 'home/a': 'old' }, { file: 'new', 'home/a': 'new' });
        await renameHome(places, name);
        (await recover(places)).should.deepEqual([join(places.target, `${name} (1)`)]);
        (await secretsIn(places)).should.have.length(2);
        (await contentsOf(places.target)).should.have.properties({ file: 'old', 'home/a': 'old' });
      });
  });

  it('New files that others changed before the swap is undone are kept under another name', async () => {
    const places = await failLater(
      { 'file.txt': 'old', 'home/a': 'old' },
      { 'file.txt': 'new', 'home/a': 'new', 'home/b': 'new' },
    );
    await writeTree(places.target, { 'file.txt': 'changed', 'home/a': 'changed' });
    const moved = [join(places.target, 'file (1).txt'), join(places.target, 'home/a (1)')];
    (await recover(places)).sort().should.deepEqual(moved);
    const { blocked: _blocked, ...left } = await contentsOf(places.target);
    left.should.deepEqual({
      ...{ 'file.txt': 'old', 'file (1).txt': 'changed' },
      ...{ 'home/': '', 'home/a': 'old', 'home/a (1)': 'changed' },
    });
  });

  it('What others created in a new folder is reported with its new path if a file takes the place of the folder again', async () => {
    const places = await failLater({ home: 'old' }, { 'home/a': 'new' });
    await writeTree(places.target, { 'home/created': 'meanwhile' });
    (await recover(places)).should.deepEqual([join(places.target, 'created')]);
    const { blocked: _blocked, ...left } = await contentsOf(places.target);
    left.should.deepEqual({ home: 'old', created: 'meanwhile' });
  });

  const INVALID: [string, string[]][] = [
    ...['../outside', '/outside', 'a/../../outside'].map((each): [string, string[]] => [
      `with the path ${each}`,
      ['{"version":3,"policy":"replace"}', '{"move":"a"}', JSON.stringify({ move: each })],
    ]),
    ['that is cut off', ['{"version":3,"policy":"replace"}', '{"move":"a"}', '{"mo']],
    ['with an unknown step', ['{"version":3,"policy":"replace"}', '{"move":"a"}', '{"copy":"a"}']],
    ['without a beginning', ['{"move":"a"}']],
    ['that is empty', ['']],
  ];
  for (const [title, lines] of INVALID) {
    it(`A journal ${title} is local_file, and nothing is changed or removed`, async () => {
      const places = await prepare({ a: 'old' }, { a: 'new' });
      const outside = join(dirname(places.target), 'outside');
      await writeFile(outside, 'kept');
      await writeTree(places.work, { 'old/b': 'older' });
      await writeFile(join(places.work, 'journal'), lines.join('\n'));
      records.set(places.target, createHash('sha256').update(lines.join('\n')).digest('hex'));
      const { params } = await rejected(recover(places), 'local_file', 'local_file_restore_journal');
      params.should.deepEqual({ path: places.work });
      (await contentsOf(places.target)).should.deepEqual({ a: 'old' });
      (await contentsOf(places.work)).should.have.properties({ 'old/b': 'older', 'new/a': 'new' });
      (await readFile(outside, 'utf8')).should.equal('kept');
    });

    it(`A swap with a plan ${title} is local_file, and leaves no journal`, async () => {
      const places = await prepare({ a: 'old' }, { a: 'new' });
      await writeFile(join(places.work, 'journal.draft'), lines.join('\n'));
      await rejected(swap(places, records), 'local_file', 'local_file_restore_plan');
      (await contentsOf(places.target)).should.deepEqual({ a: 'old' });
      (await readdir(places.work)).should.not.containEql('journal');
    });
  }

  /** Journals that this package didn't write for this folder, by what is recorded. */
  const FORGED: [string, string, (places: SwapPlaces, recorded: string) => void][] = [
    ['without a record', 'local_file_restore_unknown', () => records.clear()],
    [
      'of another folder',
      'local_file_restore_unknown',
      ({ target }, digest) => {
        records.delete(target);
        records.set(`${target}2`, digest);
      },
    ],
    ['of an earlier swap', 'local_file_restore_journal', ({ target }) => records.set(target, '0'.repeat(64))],
  ];
  for (const [title, text, forge] of FORGED) {
    it(`A journal ${title} isn’t obeyed, and nothing is changed or removed`, async () => {
      const places = await prepare({ a: 'old' }, { a: 'new' });
      await writeJournal(places, await planOf(places), records);
      const before = await contentsOf(dirname(places.target));
      forge(places, records.get(places.target) ?? '');
      const { params } = await rejected(recover(places), 'local_file', text);
      params.should.deepEqual({ path: places.work });
      (await contentsOf(dirname(places.target))).should.deepEqual(before);
    });
  }

  it('Old content without a journal and a record isn’t touched', async () => {
    const places = await prepare({ a: 'new' }, {});
    await writeTree(places.work, { 'old/a': 'the only copy' });
    await rejected(recover(places), 'local_file', 'local_file_restore_unknown');
    (await contentsOf(places.work)).should.have.property('old/a', 'the only copy');
  });

  for (const [title, isInterrupted] of [
    ['A', false],
    ['An interrupted', true],
  ] as const) {
    it(`${title} swap follows no link that has taken the place of a folder`, async () => {
      const places = await prepare(
        { 'home/sub/a': 'old', 'home/sub/kept': 'old', 'home/kept': 'old' },
        { 'home/sub/a': 'new', 'home/sub/b': 'new' },
      );
      await writeTree(dirname(places.target), { 'outside/a': 'outside' });
      const outside = join(dirname(places.target), 'outside');
      await chmod(outside, 0o710);
      const plan = await planOf(places);
      if (isInterrupted) await writeJournal(places, plan, records);
      const folder = join(places.target, 'home/sub');
      await rename(folder, join(places.target, 'home/moved'));
      await symlink(outside, folder);
      if (isInterrupted) await recover(places);
      else {
        const text = 'local_file_folder_replaced';
        const { params } = await rejected(swapAs(places, plan, 'replace'), 'local_file', text);
        params.should.have.property('path', folder);
      }
      (await contentsOf(outside)).should.deepEqual({ a: 'outside' });
      ((await lstat(outside)).mode & 0o777).should.equal(0o710);
      (await contentsOf(join(places.target, 'home/moved'))).should.deepEqual({ a: 'old', kept: 'old' });
    });
  }

  it('A file that was changed after a swap was interrupted is kept under another name', async () => {
    const places = await prepare({ 'a.txt': 'old' }, { 'a.txt': 'new' });
    await writeJournal(places, await planOf(places), records);
    await laterThan(join(places.work, 'journal'));
    await writeTree(places.target, { 'a.txt': 'changed' });
    (await recover(places)).should.deepEqual([join(places.target, 'a (1).txt')]);
    (await contentsOf(places.target)).should.deepEqual({ 'a.txt': 'new', 'a (1).txt': 'changed' });
  });

  it('In a folder of another user that all may write to, entries are replaced and its attributes stay', async function () {
    // Only root can act as two users.
    if (process.geteuid?.() !== 0) this.skip('needs root');
    const places = await prepare({ a: 'old', kept: 'old' }, { a: 'new' });
    await chmod(dirname(places.target), 0o777);
    await chmod(places.target, 0o777);
    for (const folder of [places.work, stagedIn(places.work)]) await chown(folder, NOBODY, NOBODY);
    await chmod(dirname(dirname(places.target)), 0o755);
    const moves = await planOf(places);
    await writeFolderEntry(places, { path: '', mode: 0o700, mtime: 1, uid: 0, gid: 0 });
    process.seteuid?.(NOBODY);
    try {
      await swapAs(places, moves, 'replace');
    } finally {
      process.seteuid?.(0);
    }
    (await contentsOf(places.target)).should.deepEqual({ a: 'new', kept: 'old' });
    ((await lstat(places.target)).mode & 0o777).should.equal(0o777);
  });

  it('A read-only folder of the archive is merged into one on disk, also by a user who isn’t root', async function () {
    if (process.geteuid?.() !== 0) this.skip('needs root');
    const places = await prepare({ 'ro/a': 'old', 'ro/kept': 'old' }, { 'ro/a': 'new', 'ro/b': 'new' });
    const folders = [places.target, places.work, stagedIn(places.work)];
    const closed = [join(places.target, 'ro'), join(stagedIn(places.work), 'ro')];
    for (const folder of [...folders, ...closed]) await chown(folder, NOBODY, NOBODY);
    for (const folder of closed) await chmod(folder, 0o555);
    await chmod(dirname(dirname(places.target)), 0o755);
    const moves = await planOf(places);
    await writeFolderEntry(places, { path: 'ro', mode: 0o555, mtime: 1 });
    process.seteuid?.(NOBODY);
    try {
      await swapAs(places, moves, 'replace');
    } finally {
      process.seteuid?.(0);
    }
    (await contentsOf(places.target)).should.deepEqual({
      'ro/': '',
      'ro/a': 'new',
      'ro/b': 'new',
      'ro/kept': 'old',
    });
    ((await lstat(join(places.target, 'ro'))).mode & 0o777).should.equal(0o555);
  });

  it('A draft of a journal changes nothing, because no rename was made then', async () => {
    const places = await prepare({ a: 'old' }, { a: 'new' });
    await writeFile(join(places.work, 'journal.draft'), '{"version":1');
    await recover(places);
    (await contentsOf(places.target)).should.deepEqual({ a: 'old' });
  });
});
