// @ts-check
/**
 * What the stand-in for Cursor's tool can play, by name. A scenario is a list of steps; each step is an object
 * whose keys say what it does (the steps are in `cursor-agent`).
 */

export const VERSION = '2026.11.02-double';

/** What Cursor says on stderr, each given the working directory. */
export const NOTICES = {
  /** @param {string} cwd */
  trust: (cwd) =>
    `⚠ Workspace Trust Required\n\nCursor Agent can execute code and access files in this directory.\n\n` +
    `Do you trust the contents of this directory?\n\n  ${cwd}\n\nTo proceed, you can either:\n` +
    `  • Pass --trust, --yolo, or -f if you trust this directory\n  • Run 'agent' interactively to choose a trust setting\n`,
  not_signed_in: () =>
    "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.\n",
  rate_limit: () =>
    "Error: You've hit your usage limit. Rate limit exceeded (429 Too Many Requests), try again later.\n",
  model_refused: () =>
    'Cannot use this model: gpt-99. Available models: auto, composer-2.5, gpt-5\n',
  config_race: () =>
    "Error: ENOENT: no such file or directory, rename '/home/owner/.cursor/cli-config.json.tmp' -> '/home/owner/.cursor/cli-config.json'\n",
  config_race_windows: () =>
    "Error: EPERM: operation not permitted, rename 'C:\\Users\\owner\\.cursor\\cli-config.json.tmp' -> 'C:\\Users\\owner\\.cursor\\cli-config.json'\n",
  node_warning: () =>
    '(node:4242) Warning: login keychain: not logged in check skipped (Use `node --trace-warnings ...`)\n',
};

const opening = [{ init: true }, { user: true }];
const talk = [{ assistant: 'I will read it.' }, { tool_started: true }, { tool_completed: true }];
const result = { result: true };
const good = [...opening, ...talk, { assistant: 'Done.' }, result];
const resultText = JSON.stringify({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done.',
  session_id: 's-1',
});

/** @type {Readonly<Record<string, readonly object[]>>} */
export const SCENARIOS = {
  good,
  // Endings that the runner has to tell apart.
  trust_refused: [{ notice: 'trust' }, { exit: 1 }],
  trust_refused_exit_0: [{ notice: 'trust' }, { exit: 0 }],
  not_signed_in: [{ notice: 'not_signed_in' }, { exit: 1 }],
  model_refused: [{ notice: 'model_refused' }, { exit: 1 }],
  rate_limit: [...opening, { notice: 'rate_limit' }, { exit: 1 }],
  no_result: [...opening, ...talk],
  two_results: [...good, result],
  result_error: [...opening, { result: { is_error: true, result: 'It did not work.' } }],
  result_error_subtype: [...opening, { result: { subtype: 'error_during_execution' } }],
  result_without_subtype: [...opening, { result: { subtype: undefined } }],
  exit_2: [...good, { exit: 2 }],
  exit_1_silent: [...opening, { stderr: 'Error: something broke\n' }, { exit: 1 }],
  killed: [...opening, { kill: 'SIGKILL' }],
  hang: [...opening, { hang: true }],
  hang_silent: [{ hang: true }],
  hang_deaf: [{ ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] }, ...opening, { hang: true }],
  hang_with_grandchild: [{ child: 'forks' }, { child: 'deaf' }, ...opening, { hang: true }],
  lingers: [...good, { hang: true }],
  lingers_deaf: [{ ignore: ['SIGTERM'] }, ...good, { hang: true }],
  late_exit: [...good, { wait: 100 }],
  // Forms of output.
  no_newline: [...opening, { raw: resultText }],
  plain_text: [{ line: 'All is well.' }],
  ten_thousand_lines: [{ init: true }, { lines: { count: 10_000 } }, result],
  long_line: [...opening, { giant: { bytes: 786_433 } }, result],
  torn: [...opening, { torn: { event: 'result', pieces: 7, ms: 3 } }],
  late_result: [...opening, { wait: 150 }, result],
  events_after_result: [
    ...good,
    { assistant: 'One thing more.' },
    { event: { type: 'interaction_query' } },
  ],
  unknown_events: [...opening, { event: { type: 'connection_retry', attempt: 1 } }, result],
  bad_optional_fields: [
    { init: { model: { id: 'x' } } },
    { result: { duration_ms: 12.5, usage: 'much', request_id: 7, model: ['y'] } },
  ],
  empty_result_text: [...opening, { result: { result: '' } }],
  absurd_model: [{ init: { model: 'm'.repeat(300_000) } }, result],
  json_on_stderr: [...good, { stderr: `${resultText}\n` }],
  stderr_between: [
    ...opening,
    { raw: resultText.slice(0, 40) },
    { stderr: 'a warning' },
    { raw: `${resultText.slice(40)}\n` },
  ],
  partial_messages: [
    ...opening,
    {
      event: {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: 'I will ' }] },
        session_id: 's-1',
        timestamp_ms: 1,
      },
    },
    {
      event: {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: 'read it.' }] },
        session_id: 's-1',
        timestamp_ms: 2,
      },
    },
    {
      event: {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: 'I will read it.' }] },
        session_id: 's-1',
        model_call_id: 'm-1',
        timestamp_ms: 3,
      },
    },
    {
      event: {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: 'I will read it.' }] },
        session_id: 's-1',
      },
    },
    result,
  ],
  thinking: [
    ...opening,
    { event: { type: 'thinking', subtype: 'delta', text: 'Look', session_id: 's-1' } },
    result,
  ],
  node_warning: [{ notice: 'node_warning' }, ...good],
  node_warning_exit_1: [...opening, { notice: 'node_warning' }, { exit: 1 }],
  // Children.
  child_quiet: [{ child: 'quiet' }, ...good],
  child_holds: [{ child: 'holds' }, ...good],
  child_session: [{ child: 'session' }, ...good],
  child_session_holds: [{ child: 'session_holds' }, ...good],
  child_deaf: [{ child: 'deaf' }, ...good],
  child_deaf_session: [{ child: 'deaf_session' }, ...good],
  background_shell: [
    ...opening,
    { child: 'session' },
    {
      tool_completed: {
        tool_call: {
          shellToolCall: { args: { command: 'npm run dev &' }, result: { isBackground: true } },
        },
      },
    },
    { hang: true },
  ],
  tool_open: [...opening, { tool_started: true }, { wait: 600 }, { tool_completed: true }, result],
  // Starting.
  config_race_once: [{ config_race: 1 }, ...good],
  config_race_always: [{ config_race: 99 }],
};
