/** The alert on docs/backup-failed.md works in a real Node-RED. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { exampleFixture } from '../support/node-red/example-fixture';
import { readDocument } from './markdown';

const NAME = 'backup-failed';

describe('the alert on docs/backup-failed.md', () => {
  const fixture = exampleFixture();

  it('reports a missing backup and a failed one, and nothing after a complete one', async () => {
    const source = path.join(fixture.folder, 'documents');
    await mkdir(source);
    await writeFile(path.join(source, 'notes.txt'), 'notes');
    const { code } = await readDocument('docs/backup-failed.md');
    const nodes = JSON.parse(code[0]!.text) as { type: string; name: string; wires: string[][] }[];
    const done = { id: 'done', type: 'debug', name: 'done', active: true, tosidebar: true, complete: 'true' };
    nodes.find(({ name }) => name === 'remember when')!.wires = [[done.id]];
    const flow = [...nodes, { ...done, targetType: 'full', wires: [] }].map((node) =>
      node.type === 'cloud-drive-account' ? node : { ...node, z: NAME },
    );
    const text = JSON.stringify([{ id: NAME, type: 'tab', label: NAME }, ...flow]);
    await fixture.examples.deployText(NAME, text, fixture.drive.url, { '/home/pi/documents': source });
    const alert = (nth: number) => fixture.examples.debugMessage(NAME, 'alert', nth);

    await fixture.examples.pressInject(NAME, 1);
    const missing = { topic: 'Google Drive: no backup', payload: 'There is no backup yet.' };
    should(await alert(1)).containEql(missing);

    await fixture.examples.pressInject(NAME);
    await fixture.examples.debugMessage(NAME, 'done');
    // Reports nothing: the failed backup sends the next alert.
    await fixture.examples.pressInject(NAME, 1);
    await rm(source, { recursive: true });
    await fixture.examples.pressInject(NAME);
    const failed = await alert(2);
    should(failed.topic).equal('Google Drive: backup failed');
    should(failed.payload).match(/doesn't exist/);
  });
});
