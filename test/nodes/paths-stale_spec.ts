/** Paths whose folders were moved, renamed or trashed a moment ago: docs/how-it-works.md, "Paths". */
import should from 'should';
import { TOKEN, createTestClient } from '../support/client/test-client';
import { useDrive } from '../support/node-red/flow-drive';
import { type FlowNode, load, useNodeRed } from '../support/node-red/load';
import { failed, passed } from '../support/node-red/outcome';

describe('paths that lead elsewhere than a moment ago', () => {
  useNodeRed();
  const drive = useDrive({ token: TOKEN });
  let unique = 0;
  let top: string;
  let folder: string;

  beforeEach(async () => {
    top = `top ${++unique}`;
    folder = await drive().files.addFolder(top);
  });

  /** The flow remembers the folder at the path. */
  const remembering = async (node: Partial<FlowNode> & { type: string }) => {
    const all = [
      { id: 'n', ...node },
      { id: 'list', type: 'cloud-drive-list-folders' },
    ];
    const flow = await load(all, { url: drive().url, service: 'google' });
    passed(await flow.run('list', { payload: `/${top}` }));
    return flow;
  };

  const byAnother = async (
    work: (client: ReturnType<typeof createTestClient>['client']) => Promise<unknown>,
  ) => {
    const other = createTestClient(drive().url);
    await work(other.client);
    other.close();
  };

  /** Somebody renames the folder that is remembered, and makes another of its name: nothing tells. */
  const replaced = async (node: Partial<FlowNode> & { type: string }) => {
    const file = { name: 'a.tar', content: 'x', modifiedTime: 0 };
    const before = await drive().files.add({ ...file, parent: folder });
    const flow = await remembering(node);
    const name = `${top}, as it was`;
    const fields = { fields: 'id', restore: false, ifExists: 'duplicate' } as const;
    await byAnother((client) => client.move({ id: folder, name, folderId: '', ...fields }));
    const again = await drive().files.addFolder(top);
    const now = await drive().files.add({ ...file, parent: again });
    return { flow, before, now, again };
  };
  const textOf = async (id: string): Promise<string> => (await drive().files.contentOf(id)).toString();
  const names = (parent: string): string[] =>
    drive()
      .files.in(parent)
      .filter(({ trashed }) => !trashed)
      .map(({ name }) => name);

  it('take nothing away from there', async () => {
    const { flow, before, now } = await replaced({ type: 'cloud-drive-delete' });
    passed(await flow.run('n', { payload: `/${top}/a.tar` }));
    should(drive().files.find(now)).equal(undefined);
    should(drive().files.find(before)).be.ok();
  });

  it('prune nothing there', async () => {
    const rules = { keepDays: 1, minimum: 0, dryRun: false };
    const { flow, before, now } = await replaced({ type: 'cloud-drive-prune', ...rules });
    passed(await flow.run('n', { payload: `/${top}` }));
    should(drive().files.find(now)?.trashed).equal(true);
    should(drive().files.find(before)?.trashed).equal(false);
  });

  it('move nothing away from there', async () => {
    const { flow, before, now } = await replaced({ type: 'cloud-drive-move', targetName: 'b.tar' });
    passed(await flow.run('n', { payload: `/${top}/a.tar` }));
    should(drive().files.find(now)?.name).equal('b.tar');
    should(drive().files.find(before)?.name).equal('a.tar');
  });

  it('move nothing into it', async () => {
    const { flow, again } = await replaced({ type: 'cloud-drive-move', folder: `/${top}` });
    const loose = await drive().files.add({ name: 'loose', content: 'x' });
    passed(await flow.run('n', { payload: loose }));
    should(drive().files.find(loose)?.parent).equal(again);
  });

  it('replace no file there', async () => {
    const { flow, before, now } = await replaced({ type: 'cloud-drive-upload', ifExists: 'replace' });
    passed(await flow.run('n', { payload: 'new', filename: 'a.tar', folderId: `/${top}` }));
    (await textOf(before)).should.equal('x');
    (await textOf(now)).should.equal('new');
  });

  it('take no file there for the one that makes an upload needless', async () => {
    const { flow, again } = await replaced({ type: 'cloud-drive-upload', ifExists: 'skip' });
    await drive().files.add({ name: 'b.tar', parent: folder, content: 'x' });
    const { created } = passed(
      await flow.run('n', { payload: 'new', filename: 'b.tar', folderId: `/${top}` }),
    ) as { created?: boolean };
    should(created).equal(true);
    names(again).should.eql(['a.tar', 'b.tar']);
  });

  it('make no folder in it', async () => {
    const { flow, again } = await replaced({ type: 'cloud-drive-create-folder' });
    passed(await flow.run('n', { payload: `/${top}/inner` }));
    names(again).should.eql(['a.tar', 'inner']);
  });

  it('replace no file that was renamed or thrown away meanwhile', async () => {
    const flow = await remembering({ type: 'cloud-drive-upload', ifExists: 'replace' });
    const msg = (payload: string) => ({ payload, filename: 'a.txt', folderId: `/${top}` });
    const first = (passed(await flow.run('n', msg('1'))).payload as { id: string }).id;
    const rename = { folderId: '', fields: 'id', restore: false, ifExists: 'duplicate' } as const;
    await byAnother((client) => client.move({ id: first, name: 'kept.txt', ...rename }));
    const second = (passed(await flow.run('n', msg('2'))).payload as { id: string }).id;
    await byAnother((client) => client.trash(second));
    const third = (passed(await flow.run('n', msg('3'))).payload as { id: string }).id;
    new Set([first, second, third]).size.should.equal(3);
    [await textOf(first), await textOf(second), await textOf(third)].should.eql(['1', '2', '3']);
  });

  describe('into the trash', () => {
    const msg = () => ({ payload: 'content', filename: 'a.txt', folderId: `/${top}` });

    for (const ifExists of ['duplicate', 'replace']) {
      it(`leave no upload there, with ${ifExists}`, async () => {
        const flow = await remembering({ type: 'cloud-drive-upload', ifExists, createFolders: true });
        await byAnother((client) => client.trash(folder));
        const { payload, ...more } = passed(await flow.run('n', msg()));
        const { id, parents } = payload as { id: string; parents: string[] };
        should(more).containEql({ created: true, skipped: false });
        Object.keys(payload as object).should.eql([
          'id',
          'name',
          'mimeType',
          'size',
          'md5Checksum',
          'parents',
        ]);
        const again = drive().files.find(parents[0]!);
        should(again).containEql({ name: top, trashed: false });
        should(again?.id).not.equal(folder);
        (await textOf(id)).should.equal('content');
      });
    }

    it('leave no upload there with another folder of that name to take it', async () => {
      const flow = await remembering({ type: 'cloud-drive-upload' });
      await byAnother((client) => client.trash(folder));
      const again = await drive().files.addFolder(top);
      passed(await flow.run('n', msg()));
      names(again).should.eql(['a.txt']);
      names(folder).should.eql([]);
    });

    it('bring back a file that was thrown away while its new content came in', async () => {
      const flow = await remembering({ type: 'cloud-drive-upload', ifExists: 'replace' });
      const { id } = passed(await flow.run('n', msg())).payload as { id: string };
      const match = { method: 'PATCH', query: /uploadType/ };
      drive().faults.add({ kind: 'delay', match, until: () => byAnother((client) => client.trash(id)) });
      passed(await flow.run('n', { ...msg(), payload: 'new' }));
      should(drive().files.find(id)?.trashed).equal(false);
      (await textOf(id)).should.equal('new');
    });

    it('say so where there is no other', async () => {
      const flow = await remembering({ type: 'cloud-drive-upload' });
      await byAnother((client) => client.trash(folder));
      failed(await flow.run('n', msg()), 'not_found', `/${top}`);
    });

    it('say so where the folder was given by its id', async () => {
      const flow = await remembering({ type: 'cloud-drive-upload' });
      await byAnother((client) => client.trash(folder));
      failed(await flow.run('n', { ...msg(), folderId: folder }), 'conflict', 'a.txt', 'stays in the trash');
    });

    it('make no folders there', async () => {
      const flow = await remembering({ type: 'cloud-drive-create-folder' });
      await byAnother((client) => client.trash(folder));
      passed(await flow.run('n', { payload: `/${top}/inner` }));
      names(folder).should.eql([]);
    });
  });
});
