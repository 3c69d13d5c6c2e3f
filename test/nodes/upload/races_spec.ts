/** Concurrent messages for one name in one folder have the same result as consecutive ones. */
import { useDrive } from '../../support/node-red/flow-drive';
import { type Ending, type FlowNode, load, useNodeRed } from '../../support/node-red/load';

const MESSAGES = 20;

const upload = (more: object = {}): FlowNode => ({ id: 'n', type: 'cloud-drive-upload', ...more });

for (const service of ['custom', 'google'] as const) {
  describe(`upload node with ${MESSAGES} concurrent messages for one name at a ${service} service`, () => {
    useNodeRed();
    const drive = useDrive();
    let folder: string;

    beforeEach(async () => {
      folder = await drive().files.addFolder('folder');
      drive().requests.clear();
    });

    /** @param name returns the name for the number of a message */
    const race = async (ifExists: string, name = (_n: number) => 'a.txt'): Promise<Ending[]> => {
      const account = { requestsPerSecond: 1_000, maxTransfers: 3 };
      const flow = await load([upload({ ifExists })], { url: drive().url, service, account });
      const all = Array.from({ length: MESSAGES }, (_, n) => n);
      return Promise.all(
        all.map((n) => flow.run('n', { payload: `content ${n}`, filename: name(n), folderId: folder })),
      );
    };
    const inFolder = () => drive().files.in(folder);
    const count = (endings: Ending[], which: Record<string, boolean>): number =>
      endings.filter(({ sent: [msg] }) => Object.entries(which).every(([key, value]) => msg?.[key] === value))
        .length;

    it('upload creates one file and replaces it with each other message', async () => {
      const endings = await race('replace');
      count(endings, { skipped: false }).should.equal(MESSAGES);
      count(endings, { created: true }).should.equal(1);
      const [file, ...more] = inFolder();
      more.should.be.empty();
      (await drive().files.contentOf(file?.id ?? '')).toString().should.match(/^content \d+$/);
    });

    it('upload creates one file and skips the others', async () => {
      const endings = await race('skip');
      count(endings, { created: true, skipped: false }).should.equal(1);
      count(endings, { created: false, skipped: true }).should.equal(MESSAGES - 1);
      inFolder().length.should.equal(1);
    });

    it('upload creates one file and fails with a conflict for the others', async () => {
      const endings = await race('error');
      count(endings, { created: true }).should.equal(1);
      endings.filter(({ error }) => error?.cause?.code === 'conflict').length.should.equal(MESSAGES - 1);
      inFolder().length.should.equal(1);
    });

    it('upload creates each file under the next number with rename', async () => {
      count(await race('rename'), { created: true }).should.equal(MESSAGES);
      const expected = Array.from({ length: MESSAGES }, (_, n) => (n === 0 ? 'a.txt' : `a (${n}).txt`));
      inFolder()
        .map(({ name }) => name)
        .sort()
        .should.deepEqual(expected.sort());
    });

    it('upload creates no two files under one name if some names already contain a number', async () => {
      await drive().files.add({ name: 'a.txt', content: 'old', parent: folder });
      const endings = await race('rename', (n) => (n % 2 === 0 ? 'a.txt' : 'a (1).txt'));
      count(endings, { created: true }).should.equal(MESSAGES);
      new Set(inFolder().map(({ name }) => name)).size.should.equal(MESSAGES + 1);
    });

    it('upload creates one file for composed and decomposed spellings of a name with skip', async () => {
      const endings = await race('skip', (n) => (n % 2 === 0 ? '\u00e9t\u00e9' : 'e\u0301te\u0301'));
      count(endings, { created: true }).should.equal(1);
      inFolder().length.should.equal(1);
    });

    it('upload creates all files with duplicate', async () => {
      count(await race('duplicate'), { created: true }).should.equal(MESSAGES);
      inFolder().length.should.equal(MESSAGES);
    });

    it('upload lets the next message create the file if an earlier one fails', async () => {
      const fault = { kind: 'error', reason: 'forbidden', status: 403, match: { path: /upload/ } } as const;
      drive().faults.add({ ...fault, times: 3 });
      const endings = await race('skip');
      endings.filter(({ error }) => error?.cause?.code === 'permission_denied').length.should.equal(3);
      count(endings, { created: true }).should.equal(1);
      count(endings, { skipped: true }).should.equal(MESSAGES - 4);
    });
  });
}
