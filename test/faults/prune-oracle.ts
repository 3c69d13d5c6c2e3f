/** The files that retention rules remove, computed independently of the package. */
import type { Prune } from './operations';
import { PRUNES } from './prune-rules';
import { type Entry, type Snapshot, liveChildren } from './snapshot';

export interface ExpectedPrune {
  kept: string[];
  removed: string[];
}

const PRUNED = /^backup/;
const DATE = /(\d{4}-\d\d-\d\dT\d\d)-(\d\d)/;

export function expectedPrune({ folder, rules }: Prune, before: Snapshot): ExpectedPrune {
  const rule = PRUNES[rules];
  if (!rule) throw new Error(`unknown rules ${rules}`);
  const { keepNewest, youngerThan, minimum } = rule;
  const dateOf = ({ name, modifiedTime }: Entry): string =>
    rule.dateFrom === 'name' ? dateIn(name) : new Date(modifiedTime).toISOString();
  const pruned = liveChildren(before, folder).filter(([, { name }]) => PRUNED.test(name));
  const dated = pruned
    .map(([id, entry]) => ({ id, date: dateOf(entry), name: entry.name }))
    .filter(({ date }) => date !== '')
    .sort((a, b) => (`${a.date} ${a.name}` < `${b.date} ${b.name}` ? 1 : -1));
  const newestOfEach = (period: (date: string) => string, count: number): (string | undefined)[] => {
    const last = [...new Set(dated.map(({ date }) => period(date)))].slice(0, count);
    return last.map((each) => dated.find(({ date }) => period(date) === each)?.id);
  };
  const keptIds = new Set([
    ...dated.slice(0, keepNewest).map(({ id }) => id),
    ...dated.slice(0, minimum).map(({ id }) => id),
    ...dated.filter(({ date }) => youngerThan !== '' && date > youngerThan).map(({ id }) => id),
    ...newestOfEach((date) => date.slice(0, 10), rule.daily),
    ...newestOfEach(mondayOf, rule.weekly),
    ...newestOfEach((date) => date.slice(0, 7), rule.monthly),
    ...newestOfEach((date) => date.slice(0, 4), rule.yearly),
  ]);
  const removed = dated.filter(({ id }) => !keptIds.has(id)).map(({ id }) => id);
  return { kept: pruned.map(([id]) => id).filter((id) => !removed.includes(id)), removed };
}

function dateIn(name: string): string {
  const [, hour, minute] = DATE.exec(name) ?? [];
  return hour === undefined ? '' : `${hour}:${minute}`;
}

/** The Monday of the week of a date, in UTC. */
function mondayOf(date: string): string {
  const day = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString();
}
