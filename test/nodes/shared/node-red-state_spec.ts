/** Why nothing is kept is said once a Node-RED, not once a file: docs/security.md, "What is stored where". */
import { EventEmitter } from 'node:events';
import type { NodeAPI } from 'node-red';
import 'should';
import { stateFile } from '../../../nodes/shared/runtime/node-red-state';

/** As Node-RED gives it to each node set: another object each time, with the same events. */
function runtimes(settings: object): { warnings: string[]; forNodeSet: () => NodeAPI } {
  const warnings: string[] = [];
  const events = new EventEmitter();
  const log = { warn: (text: string) => warnings.push(text) };
  return {
    warnings,
    forNodeSet: () => ({ events, log, settings, _: (key: string) => key }) as unknown as NodeAPI,
  };
}

describe('the state files of one Node-RED', () => {
  for (const [what, settings] of [
    ['without a user directory', {}],
    ['with credentials that are not encrypted', { userDir: '/nowhere', credentialSecret: false }],
    ['with a user directory that can not be written', { userDir: '/dev/null', credentialSecret: 'secret' }],
  ] as const) {
    it(`say once why nothing is kept, ${what}`, async () => {
      const { warnings, forNodeSet } = runtimes(settings);
      const [accounts, watches] = [stateFile(forNodeSet()), stateFile(forNodeSet(), { name: '.another' })];
      await accounts.set('tokens', 'a', 1);
      await watches.set('watches', 'a', 1);
      await watches.set('watches', 'b', 1);
      warnings.length.should.equal(1);
    });
  }

  it('say it in each Node-RED', async () => {
    for (const { warnings, forNodeSet } of [runtimes({}), runtimes({})]) {
      await stateFile(forNodeSet()).set('tokens', 'a', 1);
      warnings.length.should.equal(1);
    }
  });
});
