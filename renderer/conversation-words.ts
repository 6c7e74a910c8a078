/** Every string of a conversation with Cursor that a person reads. The rest is in `words.ts`. */
import type { ToolKind } from '../runner-core/model/tool-call.ts';
import { formatBytes, formatCount, formatDuration, plural } from './format.ts';

const TOOLS: Readonly<Record<ToolKind, string>> = {
  read: 'Read',
  write: 'Write',
  edit: 'Edit',
  delete: 'Delete',
  shell: 'Shell',
  search: 'Search',
  list: 'List',
  todo: 'Plan',
  web: 'Web',
  mcp: 'MCP tool',
  other: 'Tool',
};

export const conversationWords = {
  label: (title: string) => `Conversation of ${title}`,
  prompt: 'Prompt',
  thinking: 'Thinking',
  tool: (kind: ToolKind, name: string) => (kind === 'other' && name !== '' ? name : TOOLS[kind]),
  /** For screen readers; others see the shape. */
  states: { open: 'running', done: 'done', failed: 'failed' },
  running: 'running',
  unfinished: 'no end told',
  failed: 'failed',
  background: 'goes on in the background',
  exit: (code: number) => `exit code ${code}`,
  lines: (count: number) => plural(count, 'line', 'lines'),
  duration: (ms: number) => formatDuration(ms),
  size: (text: string) => formatBytes(new TextEncoder().encode(text).length),
  noOutput: 'No output was told.',
  sources: {
    stdout: 'Printed, but no event',
    stderr: 'Printed as an error',
    runner: 'From this app',
  },
  good: 'Result: success',
  bad: 'Result: failure',
  sameWords: 'Its text is what the agent said last.',
  took: (ms: number) => `after ${formatDuration(ms)}`,
  tokens: ({
    input,
    output,
    cacheRead,
  }: {
    readonly input: number | null;
    readonly output: number | null;
    readonly cacheRead: number | null;
  }) =>
    [
      input === null ? '' : `${formatCount(input)} tokens in`,
      output === null ? '' : `${formatCount(output)} out`,
      cacheRead === null || cacheRead === 0 ? '' : `${formatCount(cacheRead)} from the cache`,
    ]
      .filter((part) => part !== '')
      .join(', '),
  earlier: (hidden: number) => `Show earlier turns, ${formatCount(hidden)} more`,
  newTurns: 'Follow the end',
  following: 'Following',
  toEnd: 'Go to the end',
  turns: (count: number) => plural(count, 'turn', 'turns'),
  waiting: 'Waiting for the first words',
  none: 'There is no conversation to read.',
  noneBody: 'Cursor told no events. What it printed is in the raw log.',
  noResult: 'No result yet. Success needs exactly one result and exit code 0.',
  noSandbox: 'No sandbox: Cursor runs as you, with your files and login.',
  look: 'What is shown',
  conversation: 'Conversation',
  both: 'Both',
  raw: 'Raw log',
  toRaw: 'Its raw lines',
  toRawHow: 'Show the raw lines of the selected turn (R)',
  toTurn: 'Its turn',
  toTurnHow: 'Show the turn of the selected line (R)',
  reading: 'Reading the log…',
  removed: 'The log was removed to make room, and with it the conversation.',
  failedToRead: 'A part of the conversation could not be read.',
  leftOut: (count: number) =>
    `${plural(count, 'turn is', 'turns are')} left out here; the raw log has them.`,
  model: (name: string) => `Model: ${name}`,
} as const;
