import js from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** Forbids imports by pattern: the direction in which data flows is the direction of the imports. */
const only = (files, ...groups) => ({
  files,
  rules: {
    'no-restricted-imports': ['error', { patterns: groups.map(([group, message]) => ({ group, message })) }],
  },
});

const NOT_TESTS = [
  ['**/test/**', '**/bench/**', '**/scripts/**'],
  'The package knows nothing of tests, benchmarks and scripts.',
];
const NO_AXIOS = [['axios'], 'HTTP goes through src/http.'];
const NO_RED = [['node-red', '@node-red/*', '**/nodes/**'], 'src knows nothing of Node-RED.'];
const NO_CLIENT_INNARDS = [['**/src/*/**', '!**/src/index'], 'nodes import src/index only.'];
const NO_OTHER_NODE = [['../*/**', '!../shared/**', '!../../**'], 'What two nodes need is in nodes/shared.'];
const NO_NODE_BESIDE = [['../../*/**', '!../../shared/**', '!../../../**'], NO_OTHER_NODE[1]];
const EDITOR = [['**/src/**', 'node:*'], 'The editor runs in the browser.'];

/** The account's folders, each of which sees those before it. */
const ACCOUNT = ['settings', 'accounts', 'sign-in', 'admin', 'browse'];

export default tseslint.config(
  { ignores: ['dist/', 'dist.*/', 'coverage/', '.demo/', '.stryker/', 'reports/', '**/node_modules/'] },
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
      'max-lines': ['error', { max: 250 }],
      'no-console': 'error',
    },
  },
  only(['src/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED),
  only(['src/types.ts', 'src/errors.ts', 'src/query.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['./http/*', './auth/*', './files/*', './changes/*', './download/*', './upload/*', './retention/*'],
    'These import nothing but each other.',
  ]),
  only(['src/http/*.ts'], NOT_TESTS, NO_RED, [
    ['../auth/*', '../files/*', '../changes/*', '../download/*', '../upload/*', '../retention/*'],
    'http imports types, errors and query only.',
  ]),
  only(['src/auth/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['../files/*', '../changes/*', '../download/*', '../upload/*', '../retention/*'],
    'auth imports http only.',
  ]),
  only(['src/files/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['../auth/*', '../changes/*', '../download/*', '../upload/*', '../retention/*'],
    'files import http only.',
  ]),
  only(['src/changes/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['../auth/*', '../download/*', '../upload/*', '../retention/*'],
    'changes import http and files only.',
  ]),
  only(['src/download/*.ts', 'src/upload/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['../auth/*', '../changes/*', '../retention/*'],
    'Transfers import http and files only, and get their tokens from the engine.',
  ]),
  only(['src/retention/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['../http/*', '../auth/*', '../files/*', '../changes/*', '../download/*', '../upload/*'],
    'A decision about what is known: nothing is asked for here.',
  ]),
  only(['nodes/shared/runtime/*.ts'], NOT_TESTS, NO_AXIOS, NO_CLIENT_INNARDS),
  only(['nodes/!(shared)/*.ts'], NOT_TESTS, NO_AXIOS, NO_CLIENT_INNARDS, NO_OTHER_NODE),
  ...ACCOUNT.map((folder, place) =>
    only([`nodes/account/${folder}/*.ts`], NOT_TESTS, NO_AXIOS, NO_CLIENT_INNARDS, NO_NODE_BESIDE, [
      ['panel', ...ACCOUNT.slice(place + 1)].map((later) => `../${later}/*`),
      `The account's folders see those before them: ${ACCOUNT.join(', ')}.`,
    ]),
  ),
  only(['nodes/*/*.editor.ts', 'nodes/shared/editor/**/*.ts'], NOT_TESTS, NO_AXIOS, NO_OTHER_NODE, EDITOR),
  only(['nodes/account/panel/*.ts'], NOT_TESTS, NO_AXIOS, NO_NODE_BESIDE, EDITOR, [
    ACCOUNT.map((folder) => `../${folder}/*`),
    'The panel knows the types of the admin API, and nothing of the runtime.',
  ]),
  {
    files: ['test/**/*.ts'],
    rules: {
      // should's getters are statements of their own.
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
  { files: ['**/*.mjs', '**/*.cjs', 'bench/nodes/*.js'], languageOptions: { globals: globals.node } },
);
