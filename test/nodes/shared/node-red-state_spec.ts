/** A warning that nothing can be stored is logged once per Node-RED, not per file: docs/security.md, "What is stored where". */
import { EventEmitter } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeAPI } from 'node-red';
import should from 'should';
import { stateFile } from '../../../nodes/shared/runtime/node-red-state';

/** Node-RED passes each node set another object with the same events. */
function runtimes(settings: object): { warnings: string[]; forNodeSet: () => NodeAPI } {
  const warnings: string[] = [];
  const events = new EventEmitter();
  const log = { warn: (text: string) => warnings.push(text) };
  return {
    warnings,
    forNodeSet: () => ({ events, log, settings, _: (key: string) => key }) as unknown as NodeAPI,
  };
}

describe('state files of one Node-RED', () => {
  for (const [description, settings] of [
    ['without a user directory', {}],
    ['with unencrypted credentials', { userDir: '/nowhere', credentialSecret: false }],
    ['with a read-only user directory', { userDir: '/dev/null', credentialSecret: 'secret' }],
  ] as const) {
    it(`state files warn once that nothing is stored ${description}`, async () => {
      const { warnings, forNodeSet } = runtimes(settings);
      const [accounts, watches] = [stateFile(forNodeSet()), stateFile(forNodeSet(), { name: '.another' })];
      await accounts.set('tokens', 'a', 1);
      await watches.set('watches', 'a', 1);
      await watches.set('watches', 'b', 1);
      warnings.length.should.equal(1);
    });
  }

  for (const [description, isStored, get] of [
    ['with the secret that Node-RED generated', true, () => 'generated'],
    ['with an empty secret', false, () => ''],
    [
      'before the settings are loaded',
      false,
      () => {
        throw new Error('settings not available');
      },
    ],
  ] as const) {
    it(`state files ${isStored ? 'are' : 'are not'} written ${description}`, async () => {
      const userDir = await mkdtemp(join(tmpdir(), 'state-'));
      try {
        const { warnings, forNodeSet } = runtimes({ userDir, get });
        await stateFile(forNodeSet()).set('tokens', 'a', 1);
        should(stateFile(forNodeSet()).get('tokens', 'a')).equal(isStored ? 1 : undefined);
        warnings.length.should.equal(isStored ? 0 : 1);
      } finally {
        await rm(userDir, { recursive: true });
      }
    });
  }

  it('state files warn in each Node-RED', async () => {
    for (const { warnings, forNodeSet } of [runtimes({}), runtimes({})]) {
      await stateFile(forNodeSet()).set('tokens', 'a', 1);
      warnings.length.should.equal(1);
    }
  });
});
