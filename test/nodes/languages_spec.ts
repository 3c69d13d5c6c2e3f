/**
 * That the package speaks every language whole: what en-US has, each other language has too, with the same places to
 * fill in and the same parts of the help. The languages are found on the disk, so that a new one is held to it as well.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { localizeSize } from '../../nodes/shared/runtime/catalogue';
import { ROOT } from '../support/node-red/built-package';
import { LANGUAGES, SOURCE_LANGUAGE, TRANSLATIONS, helpOf, languagesOf, textsOf } from '../support/languages';

const nodes = readdirSync(path.join(__dirname, '../../nodes')).filter((name) => name !== 'shared');
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([found]) => found);

/** The markup that all languages share, without emphasis inside sentences. */
const parts = (html: string): string[] =>
  all(html, /<[^>]+>/g).filter((tag) => !/^<\/?(?:b|i|code)>$/.test(tag));
/** Code is the same in every language, except URLs that contain words. */
const code = (html: string): string[] =>
  all(html, /<code>[^<]*<\/code>/g)
    .filter((text) => !text.includes('&lt;'))
    .sort();
/** Property names and error codes start with a lowercase letter; others are labels of the dialog. */
const terms = (html: string): string[] => all(html, /<dt[^>]*>[a-z][^<]*/g);

/** Texts in the quotation marks of each language. */
const QUOTES: Readonly<Record<string, RegExp>> = {
  [SOURCE_LANGUAGE]: /“([^”]+)”/g,
  de: /„([^“]+)“/g,
  'es-ES': /«([^»]+)»/g,
  fr: /«\s([^»]+)\s»/g,
  ja: /「([^」]+)」/g,
  'zh-CN': /“([^”]+)”/g,
};
/** Quotes that aren't labels, such as the names of Google's pages. */
const ELSEWHERE = [
  ...['Authorized redirect URIs', 'Third-party apps and services', 'Removed'],
  ...['Autorisierten Weiterleitungs-URIs', 'Drittanbieter-Apps und -Dienste', 'Entfernt'],
  ...['URIs de redirección autorizados', 'Aplicaciones y servicios de terceros', 'Eliminado'],
  ...['URI de redirection autorisés', 'Applications et services tiers', 'Supprimé'],
  ...['承認済みのリダイレクト URI', 'サードパーティ製のアプリとサービス', '追加', '更新'],
  ...['已获授权的重定向 URI', '第三方应用和服务'],
];
/** Other quotes in errors: values, parameters, commands and names of Google's pages. */
const NO_LABEL = [
  ...[
    'custom',
    'restic unlock --remove-all',
    'rclone dedupe',
    'rclone dedupe list',
    'Google Drive API',
    'Google Auth Platform',
    'Google Auth Platform > Audience',
  ],
  ...['Publish app', 'App veröffentlichen', 'Publicar aplicación', 'Publier l’application'],
  ...['Zielgruppe', 'アプリを公開', '目标对象', '发布应用', 'リンクを知っている全員'],
];
/** A quote may continue after the label: “If it is gone: count it as done”, “One a day 7”. */
const plain = (text: string): string => text.toLowerCase().split(/:| \d/)[0]!.trim();

it('no English text is newer than its translations', () => {
  execFileSync(process.execPath, ['scripts/translations.mjs', '--check'], { cwd: ROOT });
});

it('all nodes have the same languages', () => {
  LANGUAGES.should.containEql(SOURCE_LANGUAGE);
  for (const node of nodes) languagesOf(node).should.eql(LANGUAGES, node);
});

for (const language of TRANSLATIONS) {
  describe(`in ${language}`, () => {
    for (const node of nodes) {
      it(`${node} has the same keys in ${language} as in ${SOURCE_LANGUAGE}, in the same order`, () => {
        [...textsOf(node, language).keys()].should.eql([...textsOf(node, SOURCE_LANGUAGE).keys()]);
      });

      it(`${node} uses the same parameters in ${language} as in ${SOURCE_LANGUAGE}`, () => {
        const here = textsOf(node, language);
        for (const [key, text] of textsOf(node, SOURCE_LANGUAGE)) {
          const fills = (sentence: string): string[] => all(sentence, /__\w+?__/g).sort();
          fills(here.get(key) ?? '').should.eql(fills(text), key);
        }
      });

      it(`${node} has no text in ${language} that is still in ${SOURCE_LANGUAGE}`, () => {
        const here = textsOf(node, language);
        const same = [...textsOf(node, SOURCE_LANGUAGE)].filter(([key, text]) => here.get(key) === text);
        // Single words and names may be equal in both languages.
        const sentences = same.map(([, text]) => text).filter((text) => / [a-z]/.test(text));
        sentences.should.eql([]);
      });

      it(`the help of ${node} in ${language} has the same sections, properties and codes as in ${SOURCE_LANGUAGE}`, () => {
        const [here, there] = [helpOf(node, language), helpOf(node, SOURCE_LANGUAGE)];
        parts(here).should.eql(parts(there));
        terms(here).should.eql(terms(there));
        code(here).should.eql(code(there));
      });
    }
  });
}

for (const language of LANGUAGES) {
  it(`the sign-in page and the numbers of the runtime are in ${language}`, () => {
    const named = textsOf('account', language).get('language')!;
    language.split('-')[0]!.should.equal(named.split('-')[0]);
    const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte' });
    localizeSize(1_600_000, named).should.equal(format.format(1.6).replace(/\s/, ' '));
  });

  it(`errors for a missing file or folder in ${language} say that a path is accepted`, () => {
    const texts = textsOf('account', language);
    for (const kind of ['file', 'folder'])
      for (const problem of ['missing', 'empty', 'shape'])
        texts.get(`errors.invalid_input_${kind}_${problem}`)!.should.match(/ ?\/Backups\/\w+/, problem);
  });

  it(`errors in ${language} say for how many minutes the lock of a repository counts`, () => {
    const texts = textsOf('account', language);
    for (const key of ['conflict_repository_lock_unreadable', 'partial_failure_clean_up_lock'])
      texts.get(`errors.${key}`)!.should.match(/30/, key);
  });

  it(`the help of restore in ${language} explains how to restore a part, and into a folder with content`, () => {
    const texts = textsOf('restore', language);
    for (const key of ['browse.open', 'field.include', 'field.overwrite', 'field.overwrite_replace'])
      helpOf('restore', language).includes(texts.get(key)!.replace('…', '')).should.equal(true, key);
  });

  it(`no error text in ${language} contains the number of attempts`, () => {
    const texts = [...textsOf('account', language)];
    const again =
      /several tries|mehreren Versuchen|plusieurs tentatives|varios intentos|何度か試しても|多次尝试/;
    texts
      .filter(([key, text]) => key.startsWith('errors.') && again.test(text))
      .map(([key]) => key)
      .should.eql([]);
  });

  for (const node of nodes) {
    it(`the help of ${node} in ${language} quotes labels of the dialog`, () => {
      const texts = [...textsOf(node, language).values(), ...textsOf('account', language).values()].map(
        plain,
      );
      const quoted = [...helpOf(node, language).matchAll(QUOTES[language]!)].map(([, text]) => text!);
      quoted
        .filter((text) => !ELSEWHERE.includes(text))
        .filter((text) => !texts.some((label) => label.includes(plain(text))))
        .should.eql([]);
    });
  }
}

it('English texts and help have straight apostrophes', () => {
  for (const node of nodes)
    for (const [key, text] of [...textsOf(node, SOURCE_LANGUAGE), ['help', helpOf(node, SOURCE_LANGUAGE)]])
      text!.includes('’').should.equal(false, `${node}: ${key}`);
});

it('French texts have a narrow no-break space before : ; ! ? and inside quotation marks', () => {
  const wrong = /(?<=[\p{L}\p{N}_»)%…])[ \u00a0][:;!?](?=[\s.,)]|$)|«(?!\u202f)|(?<!\u202f)»/u;
  for (const node of nodes) {
    const help = helpOf(node, 'fr').replace(/<code[^>]*>.*?<\/code>|<[^>]+>/gs, '_');
    for (const [key, text] of [...textsOf(node, 'fr'), ['help', help] as const])
      (wrong.exec(text)?.[0] ?? 'none').should.equal('none', `${node}: ${key}`);
  }
});

for (const language of LANGUAGES) {
  it(`the errors in ${language} quote labels of the dialogs`, () => {
    const texts = nodes.flatMap((node) => [...textsOf(node, language)]);
    const isError = ([key]: [string, string]): boolean => /^(?:errors|warnings)\./.test(key);
    const labels = texts.filter((text) => !isError(text)).map(([, label]) => label.toLowerCase());
    const quoted = texts
      .filter(isError)
      .flatMap(([, text]) => [...text.matchAll(QUOTES[language]!)].map(([, quote]) => quote!));
    quoted.should.not.be.empty();
    quoted
      .filter((text) => !ELSEWHERE.includes(text) && !NO_LABEL.includes(text) && !text.includes('__'))
      .filter((text) => !labels.some((label) => label.includes(plain(text))))
      .should.eql([]);
  });
}
