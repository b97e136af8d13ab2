import js from '@eslint/js';
import globals from 'globals';

export default [
  { ignores: ['assets/player/dist', 'node_modules'] },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'max-len': ['error', { code: 119, ignoreUrls: true }],
      'max-lines-per-function': ['error', { max: 59 }],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  { files: ['assets/player/src/**/*.js'], languageOptions: { globals: { ...globals.browser, Plotly: 'readonly' } } },
  { files: ['assets/player/build.js', 'tests/player/**/*.js'], languageOptions: { globals: globals.node } },
];
