import js from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** Restricts imports, so that they follow the direction in which data flows: by gitignore patterns or one regex. */
const only = (files, ...restrictions) => {
  const patterns = restrictions.map(([imports, message]) =>
    typeof imports === 'string' ? { regex: imports, message } : { group: imports, message },
  );
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
};

const NOT_TESTS = [
  ['**/test/**', '**/bench/**', '**/scripts/**'],
  'The package imports nothing from tests, benchmarks or scripts.',
];
const NO_AXIOS = [['axios'], 'Only src/http imports axios.'];
const NO_RED = [['node-red', '@node-red/*', '**/nodes/**'], 'src knows nothing of Node-RED.'];
const NO_CLIENT_INTERNALS = [['**/src/*/**', '!**/src/index'], 'Nodes import src/index only.'];
const NO_OTHER_NODE = [
  ['../*/**', '!../shared/**', '!../../**'],
  'A node imports from nodes/shared, not from another node.',
];
const NO_OTHER_NODE_FROM_SUBFOLDER = [['../../*/**', '!../../shared/**', '!../../../**'], NO_OTHER_NODE[1]];
const EDITOR = [['**/src/**', 'node:*'], 'Editor code runs in the browser.'];
/** Checks that depend on nothing else: the dialog and the runtime must agree. */
const SHARED_EDITOR = [String.raw`/src/(?!(?:core/globs/glob-syntax|http/loopback)$)|^node:`, EDITOR[1]];
/** Except the account's catalogue, which has the texts of all errors. */
const SHARED = [
  String.raw`^\.\./\.\./(?!\.\./|shared/|account/locales/)`,
  'nodes/shared imports from no node.',
];
const NO_EDITOR = [['**/editor/**', '*.editor'], 'The runtime imports no editor code.'];
const NO_RUNTIME = [['**/runtime/**'], 'The editor imports no runtime code.'];

/** Each argument takes stack: with about 120,000, such a call throws a RangeError. */
const LIST_AS_ARGUMENTS = {
  message: 'A list may be too long for arguments: use a loop.',
  selector: [
    'CallExpression[callee.property.name=/^(?:push|unshift|splice|concat|max|min|assign|fromCharCode|fromCodePoint)$/]' +
      ' > SpreadElement:not([argument.type="ArrayExpression"])',
    'CallExpression[callee.property.name="apply"][arguments.length=2]',
  ].join(),
};

/** Everything else asks `service.can`: the table shows how services differ. */
const KIND_OF_SERVICE = {
  message: 'Ask for a capability of the service: src/capabilities.ts.',
  selector: [
    'BinaryExpression > Literal[value=/^(?:google|custom)$/]',
    'SwitchCase > Literal[value=/^(?:google|custom)$/]',
    'MemberExpression[object.name="CAPABILITIES"]',
  ].join(),
};

/** Values from a function node have other classes, and JSON.stringify turns bytes in them into objects. */
const CLASS_OF_ANOTHER_REALM = {
  message:
    'Use node:util types, ArrayBuffer.isView or Array.isArray: a message may bring it from another realm.',
  selector:
    'BinaryExpression[operator="instanceof"]' +
    '[right.name=/^(?:\\w*Array|\\w*ArrayBuffer|Buffer|DataView|Date|Error|(?:Weak)?(?:Map|Set)|Object|Promise|RegExp)$/]',
};

const SKIP_WITHOUT_REASON = {
  message: 'Name the reason: the summary of npm test shows it.',
  selector: 'CallExpression[callee.property.name="skip"][arguments.length=0]',
};

/** The rooms of `src`, and which of the others each may import. */
const SRC_IMPORTS = {
  core: [],
  fs: ['core'],
  http: ['core'],
  auth: ['core', 'http'],
  drive: ['core', 'http'],
  transfer: ['core', 'fs', 'http', 'drive'],
  watch: ['core', 'drive'],
  sync: ['core', 'fs', 'http', 'drive', 'transfer'],
  'backup/retention': [],
  'backup/entries': ['core', 'fs'],
  'backup/archive': ['core', 'fs', 'backup/entries'],
  'backup/restore': ['core', 'fs', 'backup/entries'],
  'backup/restic': ['core', 'fs', 'backup/entries', 'backup/restore', 'backup/retention'],
  backup: [
    'core',
    'fs',
    'http',
    'drive',
    'transfer',
    'backup/retention',
    'backup/entries',
    'backup/archive',
    'backup/restore',
    'backup/restic',
  ],
};
const SRC_ROOMS = Object.keys(SRC_IMPORTS);

/** @returns a pattern for the paths by which one room imports another: `../drive/x`, or `../archive/x` within backup */
const importPath = (from, to) => {
  if (!from.startsWith('backup/')) return String.raw`^(?:\.\./)+${to}/`;
  if (to === 'backup') return String.raw`^\.\./[\w-]+$`;
  return to.startsWith('backup/')
    ? String.raw`^\.\./${to.replace('backup/', '')}/`
    : String.raw`^(?:\.\./)+${to}/`;
};

const onlyFromRooms = (room) => {
  const allowed = SRC_IMPORTS[room];
  const others = SRC_ROOMS.filter((other) => other !== room && !allowed.includes(other));
  const forbidden = others.map((other) => importPath(room, other)).join('|');
  return only(
    [room === 'backup' ? 'src/backup/*.ts' : `src/${room}/**/*.ts`],
    NOT_TESTS,
    NO_RED,
    ...(room === 'http' ? [] : [NO_AXIOS]),
    [forbidden, `src/${room} imports ${allowed.join(', ') || 'no other room'}.`],
  );
};

/** The account's folders: each may import those before it. */
const ACCOUNT = ['settings', 'accounts', 'sign-in', 'admin', 'browse'];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'dist.*/',
      'resources/',
      'generated/',
      'coverage/',
      '.demo/',
      '.stryker/',
      'reports/',
      '**/node_modules/',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './tsconfig.editor.json', './tsconfig.test.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      'no-console': 'error',
    },
  },
  only(['src/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED),
  only(['src/{capabilities,types,errors}.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['./*/**'],
    'types and errors import nothing from the folders.',
  ]),
  ...SRC_ROOMS.map(onlyFromRooms),
  only(['nodes/shared/contract/*.ts'], NOT_TESTS, NO_AXIOS, [
    String.raw`^(?!\./)`,
    'The contract imports nothing else.',
  ]),
  only(['nodes/shared/{runtime,admin}/*.ts'], NOT_TESTS, NO_AXIOS, NO_CLIENT_INTERNALS, SHARED, NO_EDITOR),
  only(['nodes/!(shared)/*.ts'], NOT_TESTS, NO_AXIOS, NO_CLIENT_INTERNALS, NO_OTHER_NODE),
  ...ACCOUNT.map((folder, index) =>
    only(
      [`nodes/account/${folder}/*.ts`],
      NOT_TESTS,
      NO_AXIOS,
      NO_CLIENT_INTERNALS,
      NO_OTHER_NODE_FROM_SUBFOLDER,
      [
        ['panel', ...ACCOUNT.slice(index + 1)].map((later) => `../${later}/*`),
        `Each folder of the account imports only those before it: ${ACCOUNT.join(', ')}.`,
      ],
    ),
  ),
  only(['nodes/*/*.editor.ts'], NOT_TESTS, NO_AXIOS, NO_OTHER_NODE, EDITOR),
  only(
    ['nodes/*/*.defaults.ts'],
    [
      String.raw`^(?!\.\./shared/contract/)`,
      'Editor and runtime share the defaults, so these import the contract only.',
    ],
  ),
  only(['nodes/shared/editor/*.ts'], NOT_TESTS, NO_AXIOS, SHARED, SHARED_EDITOR, NO_RUNTIME),
  only(['nodes/shared/editor/picker/*.ts'], NOT_TESTS, NO_AXIOS, NO_RUNTIME, [
    String.raw`^(?!\./|\.\./[\w-]+$|\.\./\.\./contract/)`,
    'The picker imports the contract and nodes/shared/editor only.',
  ]),
  only(['nodes/account/panel/*.ts'], NOT_TESTS, NO_AXIOS, NO_OTHER_NODE_FROM_SUBFOLDER, SHARED_EDITOR, [
    ACCOUNT.map((folder) => `../${folder}/*`),
    'The panel imports the types of the admin API, never the runtime.',
  ]),
  {
    files: ['src/**/*.ts', 'nodes/**/*.ts'],
    // Dialogs only show short lists.
    ignores: ['nodes/**/*.editor.ts', 'nodes/shared/editor/**'],
    rules: { 'no-restricted-syntax': ['error', LIST_AS_ARGUMENTS, KIND_OF_SERVICE, CLASS_OF_ANOTHER_REALM] },
  },
  {
    // They read the account's setting.
    files: ['nodes/account/settings/*.ts'],
    rules: { 'no-restricted-syntax': ['error', LIST_AS_ARGUMENTS, CLASS_OF_ANOTHER_REALM] },
  },
  {
    files: ['nodes/account/panel/*.ts'],
    rules: { 'no-restricted-syntax': ['error', LIST_AS_ARGUMENTS] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // should's getters are statements of their own.
      '@typescript-eslint/no-unused-expressions': 'off',
      'no-restricted-syntax': ['error', SKIP_WITHOUT_REASON],
    },
  },
  { files: ['**/*.mjs', '**/*.cjs', 'bench/nodes/*.js'], languageOptions: { globals: globals.node } },
);
