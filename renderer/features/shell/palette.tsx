/** The command palette: one field for every place, action and recent job. */
import { Dialog } from '@base-ui/react/dialog';
import { useEffect, useId, useRef, useState, type JSX, type KeyboardEvent } from 'react';
import { Glyph, Icon } from '../../components/icon.tsx';
import { useConnected } from '../../stores/connection-store.ts';
import { closeDialog } from '../../stores/dialog-store.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { collectItems } from './palette-content.ts';
import { matchItems, type Match } from './palette-items.ts';

const { palette } = words;

export function Palette(): JSX.Element {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const overview = useOverview();
  const connected = useConnected();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const matches = matchItems(collectItems(overview, connected, query), query);
  const current = Math.min(chosen, matches.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current, query]);
  const run = (match: Match | undefined): void => {
    if (match === undefined) return;
    closeDialog();
    match.item.act();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((current + step + matches.length) % Math.max(1, matches.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(matches[current]);
    }
  };
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : closeDialog())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="pal" initialFocus={input} aria-label={palette.label}>
          <div onKeyDown={onKeyDown}>
            <div className="pal-in">
              <Icon name="search" />
              <input
                ref={input}
                role="combobox"
                aria-expanded="true"
                aria-controls={listId}
                aria-activedescendant={current < 0 ? undefined : `${listId}-${current}`}
                aria-label={palette.label}
                aria-autocomplete="list"
                placeholder={palette.hint}
                autoComplete="off"
                spellCheck={false}
                value={query}
                onChange={(event) => {
                  setQuery(event.target.value);
                  setChosen(0);
                }}
              />
            </div>
            {matches.length > 0 ? null : (
              <p className="pal-none" role="status">
                {palette.none(query)}
              </p>
            )}
            <div
              className="pal-list"
              ref={list}
              id={listId}
              role="listbox"
              aria-activedescendant={current < 0 ? undefined : `${listId}-${current}`}
              aria-label={palette.label}
              tabIndex={matches.length === 0 ? -1 : 0}
              hidden={matches.length === 0}
            >
              {matches.map((match, index) => (
                <Option
                  key={match.item.id}
                  id={`${listId}-${index}`}
                  match={match}
                  selected={index === current}
                  heading={matches[index - 1]?.item.group !== match.item.group}
                  onPoint={() => setChosen(index)}
                  onRun={() => run(match)}
                />
              ))}
            </div>
          </div>
          <div className="pal-foot" aria-hidden="true">
            <span>
              <kbd className="kbd">↑↓</kbd>
              {palette.move}
            </span>
            <span>
              <kbd className="kbd">Enter</kbd>
              {palette.open}
            </span>
            <span className="grow" />
            <span>
              <kbd className="kbd">Esc</kbd>
              {palette.close}
            </span>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface OptionProps {
  readonly id: string;
  readonly match: Match;
  readonly selected: boolean;
  readonly heading: boolean;
  readonly onPoint: () => void;
  readonly onRun: () => void;
}

function Option({ id, match, selected, heading, onPoint, onRun }: OptionProps): JSX.Element {
  const { item } = match;
  return (
    <>
      {heading ? (
        <div className="pg" role="presentation">
          {item.group}
        </div>
      ) : null}
      <div
        id={id}
        className="pi"
        role="option"
        aria-selected={selected}
        onMouseMove={selected ? undefined : onPoint}
        onClick={onRun}
      >
        {item.glyph === undefined ? (
          <Icon name={item.icon} />
        ) : (
          <span className={`st st-${item.glyph}`}>
            <Glyph name={item.glyph} size={16} />
          </span>
        )}
        <span className="trunc">
          <Marked text={item.text} marks={match.marks} />
        </span>
        <span className="grow" />
        <span className="t3 small trunc">{item.note}</span>
      </div>
    </>
  );
}

function Marked({ text, marks }: { readonly text: string } & Pick<Match, 'marks'>): JSX.Element {
  const parts: JSX.Element[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    parts.push(<span key={at}>{text.slice(at, from)}</span>);
    parts.push(<mark key={`m${from}`}>{text.slice(from, to)}</mark>);
    at = to;
  }
  parts.push(<span key="rest">{text.slice(at)}</span>);
  return <>{parts}</>;
}
