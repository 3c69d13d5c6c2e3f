import { SearchCache } from '../search/search-cache';
import type { FileRecord, Role } from '../storage/file-record';
import type { FileStore } from '../storage/file-store';
import type { DriveBackend } from './backend';

/**
 * The drive as one identity sees it: the user, who sees everything but the drives of service accounts, or a service
 * account. A service account has a My Drive of its own without storage, and sees what is shared with its address.
 */
export async function viewFor(drive: DriveBackend, account: string | undefined): Promise<DriveBackend> {
  const { store } = drive;
  if (account === undefined) {
    const isOthers = (record: FileRecord): boolean => store.topOf(record).account !== undefined;
    const view = storeView(store, (record) => !isOthers(record), {});
    return { ...drive, store: view, searchCache: new SearchCache() };
  }
  const root = await store.accountRoot(account);
  const roleOf = (record: FileRecord): Role | undefined => roleFor(store, record, account);
  const isVisible = (record: FileRecord): boolean => roleOf(record) !== undefined;
  const overrides = {
    rootId: root.id,
    usage: 0,
    roleOf: (record: FileRecord) => roleOf(record) ?? 'reader',
    isSharedWithMe: ({ permissions, sharedDrive }: FileRecord) =>
      sharedDrive === undefined && permissions?.some((each) => each.emailAddress === account) === true,
  };
  return {
    ...drive,
    store: storeView(store, isVisible, overrides),
    searchCache: new SearchCache(),
    quota: undefined,
    hasStorage: false,
    user: {
      ...drive.user,
      displayName: account,
      emailAddress: account,
      permissionId: root.id.slice(-10),
    },
  };
}

/** The role of an account, on the file itself or inherited from a folder or shared drive; undefined without access. */
function roleFor(store: FileStore, record: FileRecord, account: string): Role | undefined {
  for (const { account: owner, permissions } of store.withAncestors(record)) {
    const permission = permissions?.find((each) => each.emailAddress === account);
    const role = owner === account ? 'organizer' : permission?.role;
    if (role !== undefined) return role;
  }
  return undefined;
}

/** A store that hides the other files. Changes go to the store itself. */
function storeView(
  store: FileStore,
  isVisible: (record: FileRecord) => boolean,
  more: Readonly<Record<string, unknown>>,
): FileStore {
  const rootId = typeof more['rootId'] === 'string' ? more['rootId'] : store.rootId;
  const get = (id: string): FileRecord | undefined => {
    const record = store.get(id === 'root' ? rootId : id);
    return record && isVisible(record) ? record : undefined;
  };
  const overrides: Record<string | symbol, unknown> = {
    ...more,
    get,
    all: () => [...store.all()].filter(isVisible).values(),
    childrenOf: (id: string) => new Set([...store.childrenOf(id)].filter(isVisible)),
    sharedDrives: () => store.sharedDrives().filter(isVisible),
    isSharedDrive: (id: string) => get(id)?.sharedDrive !== undefined,
    isHidden: (id: string) => store.get(id) !== undefined && get(id) === undefined,
  };
  return new Proxy(store, {
    get(target, key) {
      if (Object.hasOwn(overrides, key)) return overrides[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
