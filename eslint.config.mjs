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

export default tseslint.config(
  { ignores: ['dist/', 'dist.*/', 'coverage/', '.demo/', 'node_modules/'] },
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
    ['./http/*', './auth/*', './files/*', './download/*', './upload/*'],
    'These import nothing but each other.',
  ]),
  only(['src/http/*.ts'], NOT_TESTS, NO_RED, [
    ['../auth/*', '../files/*', '../download/*', '../upload/*'],
    'http imports types, errors and query only.',
  ]),
  only(['src/auth/*.ts', 'src/files/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['../download/*', '../upload/*'],
    'auth and files know nothing of transfers.',
  ]),
  only(['src/files/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['../auth/*', '../download/*', '../upload/*'],
    'files import http only.',
  ]),
  only(['src/download/*.ts', 'src/upload/*.ts'], NOT_TESTS, NO_AXIOS, NO_RED, [
    ['../auth/*'],
    'Transfers get their tokens from the engine.',
  ]),
  only(['nodes/*/*.ts', 'nodes/shared/runtime/*.ts'], NOT_TESTS, NO_AXIOS, [
    ['**/src/*/**', '!**/src/index'],
    'nodes import src/index only.',
  ]),
  only(['nodes/*/*.editor.ts', 'nodes/shared/editor/**/*.ts'], NOT_TESTS, NO_AXIOS, [
    ['**/src/**', 'node:*'],
    'The editor runs in the browser.',
  ]),
  {
    files: ['test/**/*.ts'],
    rules: {
      // should's getters are statements of their own.
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
  { files: ['**/*.mjs', '**/*.cjs'], languageOptions: { globals: globals.node } },
);
