/** One tool call of Cursor's, from its event to what a person wants to know of it. Pure and tolerant. */
import { isJsonObject, type Json, type JsonObject } from './json.ts';

export const TOOL_KINDS = [
  ...([
    'read',
    'write',
    'edit',
    'delete',
    'shell',
    'search',
    'list',
    'todo',
    'web',
    'mcp',
  ] as const),
  'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export interface DescribedTool {
  readonly callId: string;
  readonly tool: ToolKind;
  /** As Cursor names it, without its ending; for tools nobody knows. */
  readonly name: string;
  /** Path, command, pattern; one line of at most 500 characters; '' where it has none. */
  readonly subject: string;
  /** What came of it, as far as it is text; at most 4,000 characters. */
  readonly output: string;
  readonly exitCode: number | null;
  /** Lines read or written, where told. */
  readonly lines: number | null;
  /** A shell that goes on after the call. */
  readonly isBackground: boolean;
}

const SUBJECT_MAX_CHARS = 500;
const OUTPUT_MAX_CHARS = 4_000;
const KIND_OF: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ['read', 'read'],
  ['write', 'write'],
  ['edit', 'edit'],
  ['applypatch', 'edit'],
  ['delete', 'delete'],
  ['shell', 'shell'],
  ['grep', 'search'],
  ['glob', 'search'],
  ['semsearch', 'search'],
  ['codebasesearch', 'search'],
  ['ls', 'list'],
  ['updatetodos', 'todo'],
  ['readtodos', 'todo'],
  ['todo', 'todo'],
  ['webfetch', 'web'],
  ['websearch', 'web'],
  ['fetch', 'web'],
  ['mcp', 'mcp'],
]);
const SUBJECTS = ['path', 'command', 'pattern', 'globPattern', 'query', 'url', 'toolName', 'name'];

/** What a `tool_call` value says; a value that says nothing is a tool without a name. */
export function describedTool(
  call: Json | undefined,
  callId: string,
): { readonly tool: DescribedTool; readonly hasFailed: boolean } {
  const [key = '', given] = isJsonObject(call) ? (firstTool(call) ?? []) : [];
  const body = isJsonObject(given) ? given : {};
  const isFunction = key === 'function';
  const name = isFunction ? textIn(body['name']) : key.replace(/ToolCall$/, '');
  const args = isFunction ? argumentsOf(body['arguments']) : body['args'];
  const result = isJsonObject(body['result']) ? body['result'] : {};
  const success = isJsonObject(result['success']) ? result['success'] : undefined;
  const failure = result['error'] ?? result['rejected'] ?? result['failure'] ?? null;
  const exitCode = success === undefined ? null : numberIn(success['exitCode']);
  return {
    tool: {
      callId,
      tool: KIND_OF.get(name.toLowerCase().replace(/[^a-z]/g, '')) ?? 'other',
      name,
      subject: subjectOf(isJsonObject(args) ? args : {}),
      output: outputOf(success, failure),
      exitCode,
      lines:
        success === undefined ? null : numberIn(success['totalLines'] ?? success['linesCreated']),
      isBackground: result['isBackground'] === true || success?.['isBackground'] === true,
    },
    hasFailed: failure !== null || (exitCode !== null && exitCode !== 0),
  };
}

/** The one key that wraps the tool; what stands beside it is not of the call. */
function firstTool(call: JsonObject): readonly [string, Json] | undefined {
  const entries = Object.entries(call);
  return entries.find(([key]) => key === 'function' || key.endsWith('ToolCall')) ?? entries[0];
}

function argumentsOf(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return undefined;
  }
}

function subjectOf(args: JsonObject): string {
  const found = SUBJECTS.map((key) => textIn(args[key])).find((text) => text !== '') ?? '';
  return cut(found.replace(/\p{Cc}+/gu, ' ').trim(), SUBJECT_MAX_CHARS);
}

function outputOf(success: JsonObject | undefined, failure: Json): string {
  if (failure !== null) return cut(failureText(failure), OUTPUT_MAX_CHARS);
  if (success === undefined) return '';
  const said = ['stdout', 'stderr', 'interleavedOutput', 'content', 'diffString']
    .map((key) => textIn(success[key]).trimEnd())
    .filter((text) => text !== '');
  return cut(said.join('\n'), OUTPUT_MAX_CHARS);
}

function failureText(failure: Json): string {
  if (typeof failure === 'string') return failure;
  if (!isJsonObject(failure)) return '';
  return ['message', 'errorMessage', 'error', 'reason']
    .map((key) => textIn(failure[key]))
    .filter((text) => text !== '')
    .join('\n');
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()}…`;
}
function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
function numberIn(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
