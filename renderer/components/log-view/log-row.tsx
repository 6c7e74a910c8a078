/** One row of a log. Draws text only: nothing a log holds becomes markup, and only http(s) becomes a link. */
import './ansi.css';
import { memo, type CSSProperties, type JSX, type MouseEvent } from 'react';
import { formatBytes } from '../../format.ts';
import { logWords } from '../../job-words.ts';
import { groundColour, textColour } from '../../log/ansi-colour.ts';
import { ATTRIBUTE, DEFAULT_COLOUR, type AnsiStyle } from '../../log/ansi-style.ts';
import type { LogRow } from '../../log/line-store.ts';
import { rowContent, type Hit, type RowPiece } from '../../log/row-pieces.ts';

export interface LogRowViewProps {
  readonly record: number;
  /** Of the whole list; -1 while it grows. */
  readonly total: number;
  /** Undefined while it is being read. */
  readonly row: LogRow | undefined;
  readonly time: string;
  readonly hits: readonly Hit[];
  readonly selected: boolean;
  readonly expanded: boolean;
  readonly onExpand: (record: number) => void;
  readonly onPick: (record: number, extend: boolean) => void;
}

const SPOKEN_CHARS = 400;

export const LogRowView = memo(function LogRowView(props: LogRowViewProps): JSX.Element {
  const { row, record } = props;
  if (row === undefined)
    return (
      <div
        className="l l-wait"
        role="listitem"
        aria-setsize={props.total}
        aria-posinset={record + 1}
      >
        <span className="gut" />
        <span className="tx">{logWords.loadingRow}</span>
      </div>
    );
  const { pieces, cut } = rowContent(row, props.hits, props.expanded);
  const classes = ['l'];
  if (row.error) classes.push('err');
  if (row.stderr) classes.push('e2');
  if (row.continuation) classes.push('cont');
  if (props.selected) classes.push('sel');
  const pick = (event: MouseEvent): void => {
    event.preventDefault();
    props.onPick(record, event.shiftKey);
  };
  return (
    <div
      className={classes.join(' ')}
      role="listitem"
      aria-setsize={props.total}
      aria-posinset={record + 1}
      aria-label={spoken(row, props.time, pieces)}
    >
      <span className="gut" onMouseDown={pick}>
        <span className="no">{row.continuation ? '' : row.line + 1}</span>
        <span className="tm">{row.continuation ? '' : props.time}</span>
      </span>
      <span className="tx" dir="ltr">
        {pieces.map((piece, index) => (
          <Piece key={index} piece={piece} />
        ))}
        {cut ? (
          <button
            type="button"
            className="all"
            tabIndex={-1}
            onClick={() => props.onExpand(record)}
          >
            {logWords.showAll(formatBytes(row.text.length))}
          </button>
        ) : null}
      </span>
    </div>
  );
});

function Piece({ piece }: { readonly piece: RowPiece }): JSX.Element | string {
  if (piece.kind === 'mask')
    return (
      <span className={withHit('mask', piece)} title={logWords.maskedTitle}>
        {pieceWords(piece)}
      </span>
    );
  if (piece.kind === 'control')
    return (
      <span className={withHit('ctl', piece)} title={logWords.control(piece.name, piece.code)}>
        {pieceWords(piece)}
      </span>
    );
  const classes = withHit(styleClasses(piece.style), piece);
  const style = styleColours(piece.style);
  if (piece.link !== null)
    return (
      <a
        className={`ln ${classes}`}
        style={style}
        href={piece.link}
        target="_blank"
        rel="noopener noreferrer"
        tabIndex={-1}
        title={logWords.opens(URL.parse(piece.link)?.host ?? '')}
      >
        {piece.text}
      </a>
    );
  if (classes === '' && style === undefined) return piece.text;
  return (
    <span className={classes} style={style}>
      {piece.text}
    </span>
  );
}

function withHit(classes: string, piece: RowPiece): string {
  if (piece.hit === 'none') return classes;
  return `${classes} hit${piece.hit === 'current' ? ' cur' : ''}`;
}

function styleClasses({ fg, bg, attributes }: AnsiStyle): string {
  const classes: string[] = [];
  if ((attributes & ATTRIBUTE.bold) !== 0) classes.push('a-bold');
  if ((attributes & ATTRIBUTE.dim) !== 0 && fg === DEFAULT_COLOUR) classes.push('a-dim');
  if ((attributes & ATTRIBUTE.italic) !== 0) classes.push('a-italic');
  if ((attributes & ATTRIBUTE.underline) !== 0) classes.push('a-under');
  if ((attributes & ATTRIBUTE.strike) !== 0) classes.push('a-strike');
  // Swapped colours: the text's colour becomes the ground, on which text always takes --ansi-on-bg.
  const inverse = (attributes & ATTRIBUTE.inverse) !== 0;
  const ground = inverse ? (fg === DEFAULT_COLOUR ? 7 : fg) : bg;
  if (ground !== DEFAULT_COLOUR) classes.push(ground < 16 ? `a-on a-bg${ground % 8}` : 'a-on');
  else if (fg >= 0 && fg < 16) classes.push(`a-fg${fg}`);
  return classes.join(' ');
}

function styleColours({ fg, bg, attributes }: AnsiStyle): CSSProperties | undefined {
  const inverse = (attributes & ATTRIBUTE.inverse) !== 0;
  const ground = inverse ? fg : bg;
  if (ground >= 16) return { background: groundColour(ground) };
  if (ground === DEFAULT_COLOUR && !inverse && fg >= 16) return { color: textColour(fg) };
  return undefined;
}

/** What the row shows, in words: boxed characters by their name, so that none acts on the reader either. */
function spoken(row: LogRow, time: string, pieces: readonly RowPiece[]): string {
  let text = '';
  for (const piece of pieces) {
    text += piece.kind === 'text' ? piece.text : ` ${pieceWords(piece)} `;
    if (text.length > SPOKEN_CHARS) break;
  }
  return logWords.row(
    row.line + 1,
    row.stderr ? `${time} ${logWords.stderr}` : time,
    text.slice(0, SPOKEN_CHARS),
  );
}

function pieceWords(piece: RowPiece): string {
  return piece.kind === 'mask' ? logWords.masked : piece.name;
}
