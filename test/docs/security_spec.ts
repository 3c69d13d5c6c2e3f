/** docs/security.md: the permissions of the admin routes are tested in a real Node-RED with adminAuth. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT } from '../support/node-red/built-package';
import { type NodeRed, startNodeRed } from '../support/node-red/node-red';
import { readDocument } from './markdown';

/** bcrypt of "pass". */
const HASH = '$2b$04$y5d/SCxwDEr0oNSiOLVAO.HhmXin.MXRIKREQBoiwlod8zznIQkd6';
const USERS = ['flows.read', 'flows.write'].map((permission) => ({
  ...{ username: permission, password: HASH, permissions: [permission] },
}));
const REFUSED = 401;
const ROUTES = [
  ...['shared/admin/routes.ts', 'account/admin/admin-api.ts', 'account/browse/drive-browser.ts'],
  ...['backup/backup-routes.ts', 'restore/restore-routes.ts', 'search-files/search-test.ts', 'sync/sync.ts'],
  'sync/plan.ts',
];

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

interface Route {
  method: string;
  where: string;
  permission: string;
}

async function routes(): Promise<Route[]> {
  const { tables } = await readDocument('docs/security.md');
  const { rows } = tables.find(({ head }) => head[0] === 'request')!;
  return rows.map(([request = '', , permission = '']) => {
    const [, method = '', where = ''] = /`(\w+) ([^`]+)`/.exec(request)!;
    return { method, where: `/${where.replace(/:\w+/g, 'any')}`, permission: permission.replace(/`/g, '') };
  });
}

describe('docs/security.md', () => {
  let nodeRed: NodeRed;
  before(async () => {
    nodeRed = await startNodeRed({ settings: { adminAuth: { type: 'credentials', users: USERS } } });
  });
  after(() => nodeRed.close());

  const status = async ({ method, where }: Route): Promise<number> => {
    const json = method === 'POST' ? { headers: { 'Content-Type': 'application/json' }, body: '{}' } : {};
    return (await nodeRed.request(where, { method, ...json })).status;
  };

  it('docs/security.md lists each route', async () => {
    const route =
      /\bmethod: '(?:get|post|delete)',\s+path(?:: '|,)|\breadRoute\('\/|\bserver\??\.get\(|\blocalFilesRoute\(|\b(?:started|route)\((?:'\w+', )?'\//g;
    const written = ROUTES.flatMap((file) => [...read(`nodes/${file}`).matchAll(route)]);
    (await routes()).should.have.length(written.length);
  });

  it('each route requires the documented permission', async () => {
    const isOpen = ({ permission }: Route): boolean => permission.startsWith('none');
    for (const route of await routes()) {
      ((await status(route)) === REFUSED).should.equal(!isOpen(route), `${route.where} for nobody`);
    }
    for (const { username } of USERS) {
      await nodeRed.logIn(username, 'pass');
      for (const route of await routes()) {
        const isAllowed = isOpen(route) || username === route.permission;
        ((await status(route)) === REFUSED).should.equal(!isAllowed, `${route.where} for ${username}`);
      }
    }
  });

  it('docs/security.md names the files in the user directory', async () => {
    const { inlineCode } = await readDocument('docs/security.md');
    for (const [file, source] of [
      ['.cloud-drive-state', 'nodes/shared/runtime/state-file.ts'],
      ['.cloud-drive-watches', 'nodes/watch/watch-state-store.ts'],
      ['.cloud-drive-restores', 'nodes/account/accounts/interrupted-restores.ts'],
    ] as const) {
      inlineCode.should.containEql(file);
      read(source).should.containEql(`const NAME = '${file}';`);
    }
  });
});
