/** One tool call of Cursor's, from its event to what a person wants to know of it. Pure and tolerant. */
import { numberIn, textIn } from './event-line.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { cutCopy } from './own-copy.ts';

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
  /** As Cursor names it, without its ending, at most 100 characters; for tools nobody knows. */
  readonly name: string;
  /** Path, command, pattern; one line of at most 500 characters; '' where it has none. */
  readonly subject: string;
  /** Where a search looks; one line of at most 500 characters; '' where it is not told. */
  readonly detail: string;
  /** What came of it, as far as it is text; at most 4,000 characters. */
  readonly output: string;
  readonly exitCode: number | null;
  /** Lines read or written, where told. */
  readonly lines: number | null;
  /** A shell that goes on after the call. */
  readonly isBackground: boolean;
}

const NAME_MAX_CHARS = 100;
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
  ['semanticsearch', 'search'],
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
/** What a search looks for says more than where. */
const SEARCHED = ['pattern', 'globPattern', 'query'];
const SEARCHED_IN = ['path', 'targetDirectory', 'directory', 'targetDirectories'];

/** What a `tool_call` value says; a value that says nothing is a tool without a name. */
export function describedTool(
  call: Json | undefined,
  callId: string,
): { readonly tool: DescribedTool; readonly hasFailed: boolean } {
  const [key = '', given] = isJsonObject(call) ? (firstTool(call) ?? []) : [];
  const body = isJsonObject(given) ? given : {};
  const isFunction = key === 'function';
  const name = cutCopy(
    isFunction ? textIn(body['name']) : key.replace(/ToolCall$/, ''),
    NAME_MAX_CHARS,
  );
  const said = isFunction ? argumentsOf(body['arguments']) : body['args'];
  const args = isJsonObject(said) ? said : {};
  const tool = KIND_OF.get(name.toLowerCase().replace(/[^a-z]/g, '')) ?? 'other';
  const searched = tool === 'search' ? firstText(args, SEARCHED) : '';
  const result = isJsonObject(body['result']) ? body['result'] : {};
  const success = isJsonObject(result['success']) ? result['success'] : undefined;
  const failure = result['error'] ?? result['rejected'] ?? result['failure'] ?? null;
  const exitCode = success === undefined ? null : numberIn(success['exitCode']);
  return {
    tool: {
      callId,
      tool,
      name,
      subject: searched === '' ? firstText(args, SUBJECTS) : searched,
      detail: searched === '' ? '' : firstText(args, SEARCHED_IN),
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

/** The first of these that is a text, or a list of texts, as one line. */
function firstText(args: JsonObject, keys: readonly string[]): string {
  const found = keys.map((key) => oneText(args[key])).find((text) => text !== '') ?? '';
  return cutCopy(found.replace(/\p{Cc}+/gu, ' ').trim(), SUBJECT_MAX_CHARS);
}

function oneText(value: Json | undefined): string {
  if (!Array.isArray(value)) return textIn(value);
  return (value as readonly Json[]).filter((item) => typeof item === 'string').join(', ');
}

function outputOf(success: JsonObject | undefined, failure: Json): string {
  if (failure !== null) return cutCopy(failureText(failure), OUTPUT_MAX_CHARS);
  if (success === undefined) return '';
  const said = ['stdout', 'stderr', 'interleavedOutput', 'content', 'diffString']
    .map((key) => textIn(success[key]).trimEnd())
    .filter((text) => text !== '');
  return cutCopy(said.join('\n'), OUTPUT_MAX_CHARS);
}

function failureText(failure: Json): string {
  if (typeof failure === 'string') return failure;
  if (!isJsonObject(failure)) return '';
  return ['message', 'errorMessage', 'error', 'reason']
    .map((key) => textIn(failure[key]))
    .filter((text) => text !== '')
    .join('\n');
}
