/** One turn of a conversation: what was said as text, everything else as one line that opens. Text only: nothing becomes markup. */
import { memo, useState, type JSX, type ReactNode } from 'react';
import type { ConversationEntryView } from '../../../main/contract/conversation-views.ts';
import { conversationWords as words } from '../../conversation-words.ts';
import { Glyph, Icon } from '../icon.tsx';
import { saidPieces } from './said-pieces.ts';

type ToolEntry = Extract<ConversationEntryView, { readonly kind: 'tool' }>;
type ResultEntry = Extract<ConversationEntryView, { readonly kind: 'result' }>;

export interface TurnProps extends Place {
  readonly entry: ConversationEntryView;
  /** Nothing more will come. */
  readonly finished: boolean;
}

interface Place {
  /** Counts from the first turn of all. */
  readonly at: number;
  readonly isSelected: boolean;
}

/** The entries are made anew with each event; most of them stay as they were. */
export const Turn = memo(
  function Turn({ entry, finished, at, isSelected }: TurnProps): JSX.Element {
    const place = { at, isSelected };
    switch (entry.kind) {
      case 'text':
        return (
          <li className={`say${marked(place)}`} tabIndex={-1} data-turn="" {...spoken(place)}>
            <Said text={entry.text} />
          </li>
        );
      case 'result':
        return <Result entry={entry} {...place} />;
      case 'tool':
        return <Tool entry={entry} finished={finished} {...place} />;
      case 'prompt':
        return (
          <Folded
            {...place}
            glyph="muted"
            name={words.prompt}
            hint={oneLine(entry.text)}
            note={words.size(entry.text)}
          >
            {entry.text}
          </Folded>
        );
      case 'thinking':
        return (
          <Folded
            {...place}
            glyph="muted"
            name={words.thinking}
            hint={oneLine(entry.text)}
            took={entry.durationMs}
          >
            {entry.text}
          </Folded>
        );
      case 'plain':
        return (
          <Folded
            {...place}
            glyph={entry.source === 'stderr' ? 'attention' : 'muted'}
            name={words.sources[entry.source]}
            hint={oneLine(entry.text)}
            isMono
          >
            {entry.text}
          </Folded>
        );
    }
  },
  (before, after) =>
    before.finished === after.finished &&
    before.isSelected === after.isSelected &&
    isSame(before.entry, after.entry),
);

interface FoldedProps extends Place {
  readonly glyph: string;
  readonly name: string;
  /** Of its state, for those who do not see the glyph. */
  readonly state?: string;
  readonly hint: string;
  readonly isMono?: boolean;
  readonly note?: string;
  readonly took?: number | null;
  readonly children: ReactNode;
}

function Folded(props: FoldedProps): JSX.Element {
  const { glyph, name, state, hint, isMono = false, note = '', took = null } = props;
  const [open, setOpen] = useState(false);
  return (
    <li className={marked(props)} data-at={props.at}>
      <button
        type="button"
        className="turn-line"
        tabIndex={-1}
        data-turn=""
        aria-expanded={open}
        aria-current={props.isSelected ? 'true' : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? 'down' : 'right'} size={14} />
        <span className={`st-${glyph}`}>
          <Glyph name={glyph} size={12} />
        </span>
        <b>{name}</b>
        {state === undefined ? null : <span className="vh">{state}</span>}
        <span className={`trunc grow${isMono ? ' mono' : ' t2'}`} title={hint}>
          {hint}
        </span>
        {note === '' ? null : <span className="turn-note">{note}</span>}
        <span className="turn-took">{took === null ? '' : words.duration(took)}</span>
      </button>
      {open ? <pre className={`turn-out${isMono ? '' : ' prose'}`}>{props.children}</pre> : null}
    </li>
  );
}

interface ToolProps extends Place {
  readonly entry: ToolEntry;
  readonly finished: boolean;
}

function Tool({ entry, finished, ...place }: ToolProps): JSX.Element {
  const { state, tool, name, subject, detail, output, durationMs } = entry;
  const asked = [subject, detail].filter((line) => line !== '').join('\n');
  const isCutOff = state === 'open' && finished;
  const glyph = { open: isCutOff ? 'lost' : 'running', done: 'succeeded', failed: 'failed' }[state];
  return (
    <Folded
      {...place}
      glyph={glyph}
      name={words.tool(tool, name)}
      state={isCutOff ? words.unfinished : words.states[state]}
      hint={subject}
      isMono
      note={toolNote(entry, isCutOff)}
      took={durationMs}
    >
      {`${asked === '' ? '' : `${asked}\n\n`}${output === '' ? words.noOutput : output}`}
    </Folded>
  );
}

function toolNote({ state, exitCode, lines, isBackground }: ToolEntry, isCutOff: boolean): string {
  if (isCutOff) return words.unfinished;
  if (state === 'open') return words.running;
  if (isBackground) return words.background;
  if (exitCode !== null && exitCode !== 0) return words.exit(exitCode);
  if (state === 'failed') return words.failed;
  return lines === null ? '' : words.lines(lines);
}

interface ResultProps extends Place {
  readonly entry: ResultEntry;
}

function Result({ entry, ...place }: ResultProps): JSX.Element {
  const { isGood, text, durationMs, tokens } = entry;
  const glyph = isGood ? 'succeeded' : 'failed';
  return (
    <li
      className={`turn-result${isGood ? '' : ' bad'}${marked(place)}`}
      tabIndex={-1}
      data-turn=""
      {...spoken(place)}
    >
      <p className="row">
        <span className={`st-${glyph}`}>
          <Glyph name={glyph} size={14} />
        </span>
        <b>{isGood ? words.good : words.bad}</b>
        {durationMs === null ? null : <span className="t2">{words.took(durationMs)}</span>}
        <span className="grow" />
        {tokens === null ? null : <span className="t2 small">{words.tokens(tokens)}</span>}
      </p>
      {text === '' ? <p className="t2 small">{words.sameWords}</p> : <Said text={text} />}
    </li>
  );
}

function Said({ text }: { readonly text: string }): JSX.Element {
  return (
    <div className="said">
      {saidPieces(text).map((piece, index) =>
        piece.kind === 'words' ? (
          piece.text
        ) : piece.kind === 'code' ? (
          <code key={index}>{piece.text}</code>
        ) : (
          <pre key={index}>{piece.text}</pre>
        ),
      )}
    </div>
  );
}

function marked({ isSelected }: Place): string {
  return isSelected ? ' turn-sel' : '';
}

function spoken({ at, isSelected }: Place): {
  readonly 'data-at': number;
  'aria-current'?: 'true';
} {
  return isSelected ? { 'data-at': at, 'aria-current': 'true' } : { 'data-at': at };
}

const HINT_CHARS = 240;

function oneLine(text: string): string {
  return text.slice(0, HINT_CHARS).replace(/\s+/g, ' ').trim();
}

function isSame(before: ConversationEntryView, after: ConversationEntryView): boolean {
  const values = new Map<string, unknown>(Object.entries(after));
  return Object.entries(before).every(([key, value]) => values.get(key) === value);
}
