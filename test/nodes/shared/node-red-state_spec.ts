/** A warning that nothing can be stored is logged once per Node-RED, not per file: docs/security.md, "What is stored where". */
import { EventEmitter } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeAPI } from 'node-red';
import should from 'should';
import { machineName, stateFile, stateKey } from '../../../nodes/shared/runtime/node-red-state';
import { WatchStateStore } from '../../../nodes/watch/watch-state-store';

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

describe('state of nodes with equal IDs', () => {
  const projects = (activeProject: string): object => ({
    ...{ userDir: '/data', flowFile: 'flows.json', editorTheme: { projects: { enabled: true } } },
    get: (name: string) => (name === 'projects' ? { activeProject } : undefined),
  });
  const keyIn = (settings: object): string => stateKey(runtimes(settings).forNodeSet(), 'id');

  for (const [what, one, other, areEqual] of [
    ['two flow files', { flowFile: 'flows.json' }, { flowFile: 'other.json' }, false],
    ['flow files of two folders', { flowFile: 'a/flows.json' }, { flowFile: 'b/flows.json' }, false],
    ['two clones of a project', projects('one'), projects('two'), false],
    ['a project and its flow file', projects('one'), { flowFile: 'flows.json' }, false],
    ['a flow file and its path', { flowFile: 'flows.json' }, { flowFile: '/data/flows.json' }, true],
    ['a flow file with spaces', { flowFile: 'my flows.json' }, { flowFile: './my flows.json' }, true],
    ['Node-RED’s own flow file', {}, { flowFile: 'flows.json' }, true],
    ['a flow file, without a project', projects(''), { flowFile: 'flows.json' }, true],
  ] as const) {
    it(`the state of nodes with equal IDs is ${areEqual ? 'shared' : 'separate'} for ${what}`, () => {
      const [first, second] = [one, other].map((settings) => keyIn({ userDir: '/data', ...settings }));
      should(first === second).equal(areEqual);
      should(first?.split(' ')).have.length(2);
    });
  }

  it('the state of watches is separate for each flow file, starts with that of an older version, and is deleted alone', async () => {
    const userDir = await mkdtemp(join(tmpdir(), 'state-'));
    const settings = { userDir, credentialSecret: 'secret' };
    const forFlows = (flowFile: string): NodeAPI => runtimes({ ...settings, flowFile }).forNodeSet();
    const open = (flowFile: string): WatchStateStore => new WatchStateStore(forFlows(flowFile));
    try {
      const older = stateFile(forFlows('a.json'), { name: '.cloud-drive-watches' });
      await older.set('watches', 'instance-id', 'of an older version');
      for (const flowFile of ['a.json', 'b.json']) {
        const store = open(flowFile);
        const key = store.keyOf('instance-id');
        should(store.get(key)).equal('of an older version');
        await store.set(key, `of ${flowFile}`);
      }
      const store = open('a.json');
      store.deleteNode('instance', () => false);
      await store.flush();
      const values = ['a.json', 'b.json'].map((flowFile) => {
        const reopened = open(flowFile);
        return reopened.get(reopened.keyOf('instance-id'));
      });
      should(values).eql([undefined, 'of b.json']);
    } finally {
      await rm(userDir, { recursive: true });
    }
  });
});

describe('name of a machine', () => {
  const GENERATED = ['0a1b2c3d4e5f', '123456789012', 'nodered-5d8f7c9b64-x7k2p'];
  const CHOSEN = ['vm', 'raspberrypi', 'a0d7b954-nodered', 'my-garden-house', 'facade', 'nodered-0'];

  it('the name of a machine stays the same in a container whose name was generated, and is its own otherwise', () => {
    const get = (name: string): unknown => (name === 'instanceId' ? 'abc' : undefined);
    const named = [...GENERATED, ...CHOSEN].map((host) => machineName(runtimes({ get }).forNodeSet(), host));
    should(named).eql([...GENERATED.map(() => 'Node-RED abc'), ...CHOSEN]);
  });

  it('is its own if Node-RED has stored nothing', () => {
    for (const settings of [{}, { get: () => undefined }])
      should(machineName(runtimes(settings).forNodeSet(), GENERATED[0]!)).equal(GENERATED[0]);
  });
});
