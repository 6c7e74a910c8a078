import tseslint from 'typescript-eslint';

/** Lint rules: strict and type-checked; the bans keep time, chance and blocking calls in their one place. */
const bannedGlobals = ['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({
  name,
  message: 'Time is a port: take a Clock (runner-core/ports.ts).',
}));
const bannedCalls = [
  ["CallExpression[callee.object.name='Date'][callee.property.name='now']", 'Take a Clock.'],
  ["NewExpression[callee.name='Date'][arguments.length=0]", 'Take a Clock.'],
  [
    "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    'Take a RandomSource.',
  ],
  ["CallExpression[callee.property.name='randomUUID']", 'Take ids from runner-core/system.ts.'],
  [
    'CallExpression[callee.name=/^(execSync|spawnSync|execFileSync|rmSync|cpSync)$/]',
    'The host never blocks.',
  ],
].map(([selector, message]) => ({ selector, message }));

export default tseslint.config(
  { ignores: ['out/', 'dist/', 'node_modules/', '**/*.js', '**/*.mjs', '**/*.cjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: false, skipComments: false }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      'no-console': 'error',
    },
  },
  {
    files: ['runner-core/**/*.ts', 'main/**/*.ts', 'electron/**/*.ts'],
    ignores: ['runner-core/system.ts'],
    rules: {
      'no-restricted-globals': ['error', ...bannedGlobals],
      'no-restricted-syntax': ['error', ...bannedCalls],
    },
  },
  { files: ['scripts/**/*.ts', 'test/**/*.ts'], rules: { 'no-console': 'off' } },
);
