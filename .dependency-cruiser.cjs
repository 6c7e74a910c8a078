/**
 * Who may import whom. The words behind each rule are in docs/architecture.md; a test plants one
 * violation a rule (test/scripts/import-rules.test.ts), since a rule that finds no files passes silently.
 */

/** Everything of ours that a rule can forbid. Packages and Node's own modules have rules of their own. */
const OURS = '^(runner-core|main|control-plane|electron|renderer|scripts|test)/';
/** Code that is not part of the product may use any package. */
const WORKSHOP = '^(scripts|test)/';

/** Commands that show the page in states which only fixtures have. */
const SHOWS_FIXTURES = '^scripts/(fixtures-host|shots|bench/page[a-z-]*)\\.ts$';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
/** Files under `from` may import of ours only what `allowed` matches. */
const only = (name, comment, from, allowed) =>
  rule(name, comment, { path: from }, { path: OURS, pathNot: allowed });
const withoutNode = (name, from) =>
  rule(name, 'Pure code runs in the page too.', { path: from }, { dependencyTypes: ['core'] });
/** A package is imported only where `homes` matches, by code of the product. */
const home = (name, comment, modules, homes) =>
  rule(name, comment, { pathNot: [...homes, WORKSHOP] }, { path: modules });
const packaged = (name) => `(^|/)node_modules/(@types/)?${name}/`;

module.exports = {
  forbidden: [
    only(
      'model-and-wire-are-leaves',
      'Rules and schemas depend on nothing but each other.',
      '^runner-core/(model|wire)/',
      '^runner-core/(model|wire)/',
    ),
    withoutNode('model-and-wire-without-node', '^runner-core/(model|wire)/'),
    only('core-knows-nobody', 'The engine runs in any shell.', '^runner-core/', '^runner-core/'),
    only(
      'plane-stands-alone',
      'The embedded plane stands in for a service that shares only the protocol with us.',
      '^control-plane/',
      [
        '^control-plane/',
        '^runner-core/(wire|model|sealing)/',
        '^runner-core/(ports|system)\\.ts$',
      ],
    ),
    rule(
      'listener-sees-only-the-protocol',
      'The two halves of the engine are two processes.',
      { path: '^runner-core/listener/' },
      { path: '^runner-core/worker/', pathNot: '^runner-core/worker/protocol\\.ts$' },
    ),
    rule(
      'worker-knows-no-listener',
      'The two halves of the engine are two processes.',
      { path: '^runner-core/worker/' },
      { path: '^runner-core/listener/' },
    ),
    rule(
      'log-format-has-few-readers',
      'Only who makes, moves or keeps chunks knows their bytes.',
      { pathNot: ['^runner-core/(log|worker|listener)/', '^main/store/', WORKSHOP] },
      { path: '^runner-core/log/' },
    ),
    only(
      'main-knows-the-core',
      'Services know neither their shells nor their page.',
      '^main/',
      '^(main|runner-core)/',
    ),
    only(
      'contract-is-pure',
      'Page and host both import it.',
      '^main/contract/',
      '^(main/contract|runner-core/model)/',
    ),
    withoutNode('contract-without-node', '^main/contract/'),
    only(
      'page-sees-the-contract',
      'The page reaches the host over its socket only.',
      '^renderer/',
      '^(renderer|main/contract|runner-core/model)/',
    ),
    withoutNode('page-without-node', '^renderer/'),
    only(
      'shell-wraps-main',
      'The desktop shell has no logic that a headless host would miss.',
      '^electron/',
      '^(electron|main|runner-core)/',
    ),
    only(
      'preload-is-tiny',
      'It runs beside the page with more rights than the page.',
      '^electron/preload\\.ts$',
      '^electron/desktop-bridge\\.ts$',
    ),
    rule(
      'features-are-strangers',
      'A screen can be removed with its folder.',
      { path: '^renderer/features/([^/]+)/' },
      { path: '^renderer/features/', pathNot: '^renderer/features/$1/' },
    ),
    rule(
      'components-are-dumb',
      'Props in, callbacks out.',
      { path: '^renderer/components/' },
      { path: '^renderer/(stores|features|host-client)/' },
    ),
    home('electron-at-home', 'Only the desktop shell.', packaged('electron'), ['^electron/']),
    home('dockerode-at-home', 'One place talks to engines.', packaged('dockerode'), [
      '^runner-core/docker/',
    ]),
    home('sqlite-at-home', 'One writer a database.', packaged('better-sqlite3'), [
      '^main/store/',
      '^main/data-dir\\.ts$',
      '^control-plane/',
    ]),
    home('ws-at-home', 'Sockets are opened at the borders.', packaged('ws'), [
      '^main/(control-plane|api)/',
      '^control-plane/',
    ]),
    home(
      'processes-at-home',
      'Whoever starts a process has to end it; few places do.',
      ['^(node:)?child_process$', packaged('execa')],
      ['^runner-core/process/', '^main/workers/', '^main/embedded-plane\\.ts$'],
    ),
    rule(
      'nothing-imports-tests',
      'Doubles stay with the tests.',
      { pathNot: ['^test/', SHOWS_FIXTURES] },
      { path: '^test/' },
    ),
    rule(
      'product-needs-no-dev-package',
      'What runs on the machine of the owner is in dependencies.',
      { path: '^(runner-core|main|control-plane|electron)/' },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: ['(^|/)node_modules/@types/', packaged('electron')],
      },
    ),
    rule('no-cycles', 'Files that need each other are one file.', {}, { circular: true }),
    rule(
      'nothing-unresolved',
      'What cannot be found is checked by no rule.',
      {},
      { couldNotResolve: true },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|dist|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
