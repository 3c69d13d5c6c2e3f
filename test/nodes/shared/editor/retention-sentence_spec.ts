/** The sentence that describes the retention rules in a dialog. */
import should from 'should';
import { retentionSentence } from '../../../../nodes/shared/editor/retention-sentence';
import { LANGUAGES, textsOf } from '../../../support/languages';

const NO_RULES = {
  keepNewest: '0',
  keepDays: '0',
  daily: '0',
  weekly: '0',
  monthly: '0',
  yearly: '0',
  minimum: '1',
};
type Fields = Partial<typeof NO_RULES>;
interface Options {
  language?: string;
  mode?: 'trash' | 'permanent';
  isDryRun?: boolean;
  group?: 'retention' | 'snapshots';
}

function sentence(
  fields: Fields,
  { language = 'en-US', mode = 'trash', isDryRun = false, group }: Options = {},
) {
  const texts = textsOf('account', language);
  return retentionSentence(
    { ...NO_RULES, ...fields },
    {
      ...{ language, mode, isDryRun, withoutRules: 'no rule' },
      ...(group && { group }),
      text: (key, params = {}) =>
        texts.get(key)!.replace(/__(\w+)__/g, (_all, name: string) => params[name]!),
    },
  );
}

describe('retentionSentence', () => {
  for (const [fields, expected] of [
    [{ keepNewest: '3', daily: '7' }, 'Keeps the 3 newest and 7 daily files; '],
    [{ keepNewest: '1' }, 'Keeps the newest file; '],
    [{ keepNewest: '7', yearly: '1' }, 'Keeps the 7 newest and 1 yearly file; '],
    [{ daily: '7', weekly: '4', monthly: '12' }, 'Keeps 7 daily, 4 weekly, and 12 monthly files; '],
    [{ keepDays: '0.5' }, 'Keeps all files newer than 0.5 days, but at least 1 file; '],
    [{ daily: '2', keepDays: '1' }, 'Keeps 2 daily and all files newer than 1 day; '],
    [{ daily: '2', minimum: '1000' }, 'Keeps 2 daily files, but at least 1,000 files; '],
    [{ keepNewest: '5', minimum: '5' }, 'Keeps the 5 newest files; '],
    // An empty field means the default.
    [{ keepDays: '2', minimum: '' }, 'Keeps all files newer than 2 days, but at least 1 file; '],
    [{ daily: '${DAYS}' }, 'Keeps ${DAYS} daily files; '],
  ] as [Fields, string][]) {
    it(`describes ${JSON.stringify(fields)}`, () => {
      sentence(fields).should.equal(`${expected}moves the others to the trash.`);
    });
  }

  it('speaks of snapshots, with their gender in each language', () => {
    const fields = { keepNewest: '1', daily: '7', keepDays: '2', minimum: '9' };
    const inLanguage = (language: string) => sentence(fields, { language, group: 'snapshots' });
    inLanguage('en-US').should.equal(
      'Keeps the newest, 7 daily, and all snapshots newer than 2 days, but at least 9 snapshots; moves the others to the trash.',
    );
    inLanguage('de').should.startWith('Behält den neuesten, 7 tägliche und alle Snapshots, die jünger');
    inLanguage('es-ES').should.endWith('9 instantáneas; mueve las demás a la papelera.');
    sentence({ keepNewest: '1' }, { group: 'snapshots', mode: 'permanent' }).should.equal(
      'Keeps the newest snapshot; deletes the others permanently.',
    );
  });

  it('says what happens to the other files', () => {
    const tail = (options: Options) => sentence({ keepNewest: '2' }, options).split('; ')[1];
    should(tail({ mode: 'permanent' })).equal('deletes the others permanently.');
    should(tail({ isDryRun: true })).equal('would move the others to the trash.');
    should(tail({ mode: 'permanent', isDryRun: true })).equal('would delete the others permanently.');
  });

  it('doesn’t describe fields without a rule, or with an invalid value', () => {
    sentence({}).should.equal('no rule');
    for (const fields of [{ daily: 'x' }, { keepNewest: '-1' }, { weekly: '1.5' }] as Fields[])
      sentence(fields).should.equal('Correct the fields marked in red.');
  });

  const TRANSLATED: Record<string, [several: string, one: string]> = {
    'en-US': [
      'Keeps the 3 newest and 7 daily files; moves the others to the trash.',
      'Keeps 1 monthly file; moves the others to the trash.',
    ],
    de: [
      'Behält die 3 neuesten und 7 tägliche Dateien; verschiebt die übrigen in den Papierkorb.',
      'Behält 1 monatliche Datei; verschiebt die übrigen in den Papierkorb.',
    ],
    fr: [
      'Conserve les 3 fichiers les plus récents et 7 fichiers quotidiens\u202f; place les autres dans la corbeille.',
      'Conserve 1 fichier mensuel\u202f; place les autres dans la corbeille.',
    ],
    'es-ES': [
      'Conserva los 3 archivos más recientes y 7 archivos diarios; mueve los demás a la papelera.',
      'Conserva 1 archivo mensual; mueve los demás a la papelera.',
    ],
    ja: [
      '最新の 3 件、日次 7 件のファイルを残し、それ以外をゴミ箱に移動します。',
      '月次 1 件のファイルを残し、それ以外をゴミ箱に移動します。',
    ],
    'zh-CN': [
      '保留最新的 3 个和每天 1 个（共 7 个）文件，将其余文件移至回收站。',
      '保留每月 1 个（共 1 个）文件，将其余文件移至回收站。',
    ],
  };

  for (const language of LANGUAGES) {
    it(`uses the plurals and the list format of ${language}`, () => {
      const [several, one] = TRANSLATED[language]!;
      sentence({ keepNewest: '3', daily: '7' }, { language }).should.equal(several);
      sentence({ monthly: '1' }, { language }).should.equal(one);
    });
  }
});
