/** Takes profiles from a text: pasted, or of a file. Says for each what came of it. */
import { useRef, useState, type ChangeEvent, type JSX } from 'react';
import type { RequestResult } from '../../../main/contract/requests.ts';
import { showProblem } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Status } from '../../components/status.tsx';
import { pageClient } from '../../host-client/page-client.ts';
import { toProblem } from '../../host-client/problem.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { say } from '../../stores/notice-store.ts';
import { words } from '../../words.ts';
import { ScreenHead } from './screen-head.tsx';

type Imported = RequestResult<'profiles.import'>;
/** What a profile file may have at most. */
const MOST_BYTES = 1_048_576;
const SHAPE = '{"profiles": [ … ]}';

export function ImportScreen(): JSX.Element {
  const connected = useConnected();
  const [text, setText] = useState('');
  const [replace, setReplace] = useState(false);
  const [imported, setImported] = useState<Imported | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const here = words.profileImport;
  const take = (): void => {
    pageClient.request('profiles.import', { text, replace }).then(
      (result) => {
        setImported(result);
        const refused = result.profiles.filter(({ outcome }) => outcome === 'refused').length;
        say(here.said(result.profiles.length - refused, refused));
      },
      (error: unknown) => showProblem(toProblem(error)),
    );
  };
  const read = (event: ChangeEvent<HTMLInputElement>): void => {
    const [chosen] = event.target.files ?? [];
    // The same file may be chosen again, after it was mended.
    event.target.value = '';
    if (chosen === undefined) return;
    if (chosen.size > MOST_BYTES) {
      say(here.tooLarge, 'failed');
      return;
    }
    chosen.text().then(
      (content) => {
        setText(content);
        say(here.chosen(chosen.name));
      },
      () => say(here.unreadable, 'failed'),
    );
  };
  return (
    <div className="page scrolls">
      <ScreenHead title={here.title} />
      <div className="profile-form">
        <p className="t2">{here.about}</p>
        <label className="form-field">
          <span>{here.text}</span>
          <textarea
            className="area mono"
            rows={12}
            spellCheck={false}
            placeholder={SHAPE}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={replace}
            onChange={(event) => setReplace(event.target.checked)}
          />
          {here.replace}
        </label>
        <div className="row">
          <Button kind="primary" disabled={!connected || text.trim() === ''} onClick={take}>
            {here.act}
          </Button>
          <Button icon="folder" onClick={() => file.current?.click()}>
            {here.choose}
          </Button>
          <input
            ref={file}
            type="file"
            accept=".json,application/json"
            hidden
            aria-hidden="true"
            tabIndex={-1}
            onChange={read}
          />
        </div>
        {imported === null ? null : <Outcome imported={imported} />}
      </div>
    </div>
  );
}

const GLYPHS = { added: 'succeeded', replaced: 'succeeded', refused: 'failed' } as const;

function Outcome({ imported }: { readonly imported: Imported }): JSX.Element {
  const text = words.profileImport;
  return (
    <section aria-labelledby="import-done">
      <div className="sec-head">
        <h2 id="import-done">{text.done}</h2>
      </div>
      <ul className="panel rows">
        {imported.problems.map(({ code, field, reason, remedy }) => (
          <li key={`${code} ${field}`}>
            <Status glyph="failed" text={text.outcome('refused')} />
            <div className="grow why">{`${reason} ${remedy}`}</div>
          </li>
        ))}
        {imported.profiles.map(({ index, name, outcome, problems }) => (
          <li key={index}>
            <div className="grow">
              <div className="what">{name === '' ? text.nameless(index) : name}</div>
              {problems.map(({ code, field, reason, remedy }) => (
                <div key={`${code} ${field}`} className="why">{`${reason} ${remedy}`}</div>
              ))}
            </div>
            <Status glyph={GLYPHS[outcome]} text={text.outcome(outcome)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
