/** Which files rules take away, worked out the long way: not as the package does it. */
import { PRUNES, type Prune } from './operations';
import { type Entry, type Snapshot, liveIn } from './snapshot';

export interface Expected {
  kept: string[];
  removed: string[];
}

const PRUNED = /^backup/;
const DATE = /\d{4}-\d\d-\d\dT\d\d-\d\d/;

export function expectedOf({ folder, rules }: Prune, before: Snapshot): Expected {
  const { keepNewest, daily, minimum, dateFrom } = PRUNES[rules] ?? {};
  if (keepNewest === undefined || daily === undefined || minimum === undefined)
    throw new Error(`no rules ${rules}`);
  const dateOf = ({ name, modifiedTime }: Entry): string =>
    dateFrom === 'name' ? (DATE.exec(name)?.[0] ?? '') : new Date(modifiedTime).toISOString();
  const pruned = liveIn(before, folder).filter(([, { name }]) => PRUNED.test(name));
  const dated = pruned
    .map(([id, entry]) => ({ id, date: dateOf(entry), name: entry.name }))
    .filter(({ date }) => date !== '')
    .sort((a, b) => (`${a.date} ${a.name}` < `${b.date} ${b.name}` ? 1 : -1));
  const days = [...new Set(dated.map(({ date }) => date.slice(0, 10)))].slice(0, daily);
  const newestOf = (day: string): string | undefined => dated.find(({ date }) => date.startsWith(day))?.id;
  const stays = new Set([
    ...dated.slice(0, keepNewest).map(({ id }) => id),
    ...dated.slice(0, minimum).map(({ id }) => id),
    ...days.map(newestOf),
  ]);
  const removed = dated.filter(({ id }) => !stays.has(id)).map(({ id }) => id);
  return { kept: pruned.map(([id]) => id).filter((id) => !removed.includes(id)), removed };
}
