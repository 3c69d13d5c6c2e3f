/** The space that docs/maintenance.md says backups need, simulated night by night. */
import 'should';
import { Calendar } from '../../src/backup/retention/calendar';
import { type RetentionRules, applyRetention } from '../../src/backup/retention/retention';
import type { DriveFile } from '../../src/types';
import { readDocument } from './markdown';

const DAY = 86_400_000;
const NIGHTS = 1_000;
/** How long Google keeps trashed files: https://support.google.com/drive/answer/2375102 */
const DAYS_IN_TRASH = 30;

const NO_RULES: RetentionRules = {
  ...{ keepNewest: 0, keepDays: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, minimum: 1 },
};

/** @returns the largest numbers of archives that are kept, in the trash, and both, after any night */
function mostArchives(rules: Partial<RetentionRules>): number[] {
  const calendar = new Calendar('UTC');
  let kept: DriveFile[] = [];
  let trashed: number[] = [];
  const most = [0, 0, 0];
  for (let night = 0; night < NIGHTS; night++) {
    const now = Date.UTC(2026, 0, 1, 2, 30) + night * DAY;
    const name = `documents-${new Date(now).toISOString().slice(0, 10)}-${night}.tar.gz`;
    const files = [...kept, { id: String(night), name }];
    const result = applyRetention(files, { ...NO_RULES, ...rules }, { dateFrom: 'name', calendar, now });
    kept = result.kept;
    trashed = [
      ...trashed.filter((time) => time > now - DAYS_IN_TRASH * DAY),
      ...result.removed.map(() => now),
    ];
    const counts = [kept.length, trashed.length, kept.length + trashed.length];
    for (const [index, count] of counts.entries()) most[index] = Math.max(most[index]!, count);
  }
  return most;
}

describe('docs/maintenance.md', () => {
  it('the documented space is what the rules need, with the trash', async () => {
    const { tables } = await readDocument('docs/maintenance.md');
    const { rows } = tables.find(({ head }) => head[0] === 'rules')!;
    for (const [text = '', ...documented] of rows) {
      const rules = [...text.matchAll(/(\d+) (daily|weekly|monthly)/g)].map(([, count, rule]) => [
        rule,
        Number(count),
      ]);
      rules.length.should.be.above(0);
      documented
        .map(Number)
        .should.eql(mostArchives(Object.fromEntries(rules) as Partial<RetentionRules>), text);
    }
  });

  it('the documented size of an archive fits 52 times into 15 GB', async () => {
    const { text } = await readDocument('docs/maintenance.md');
    const [, size] = /With 15 GB .* an archive can have (\d+) MB/.exec(text)!;
    (15_000 / 52 - Number(size)).should.be.within(0, 10);
  });
});
