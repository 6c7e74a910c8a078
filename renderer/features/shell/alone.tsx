/** Screens without the frame, when there is nothing to frame: signed out, wrong version, unknown address. */
import type { JSX } from 'react';
import { copyText } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { goTo } from '../../router.ts';
import { words } from '../../words.ts';
import { Mark } from './mark.tsx';
import { LiveRegion, Toast } from './toast.tsx';
import './shell.css';

export interface SignedOutProps {
  readonly why: 'no_code' | 'code_refused' | 'token_refused';
}

export function SignedOutScreen({ why }: SignedOutProps): JSX.Element {
  const { signedOut } = words;
  return (
    <main className="alone">
      <Mark size={40} />
      <h1 className="sentence">{signedOut[why].title}</h1>
      <p className="t2">{signedOut[why].body}</p>
      <p>{signedOut.how}</p>
      <div className="row">
        <code className="code">{signedOut.command}</code>
        <Button icon="copy" onClick={() => copyText(signedOut.command, signedOut.copied)}>
          {signedOut.copy}
        </Button>
      </div>
      <p className="t3">{signedOut.or}</p>
      <Toast />
      <LiveRegion />
    </main>
  );
}

export interface WrongVersionProps {
  readonly page: number;
  readonly host: number;
}

export function WrongVersionScreen({ page, host }: WrongVersionProps): JSX.Element {
  return (
    <main className="alone">
      <Mark size={40} />
      <h1 className="sentence">{words.wrongVersion.title}</h1>
      <p className="t2">{words.wrongVersion.body(page, host)}</p>
      <Button kind="primary" icon="refresh" onClick={() => location.reload()}>
        {words.wrongVersion.reload}
      </Button>
    </main>
  );
}

export function UnknownScreen({ address }: { readonly address: string }): JSX.Element {
  return (
    <div className="alone">
      <h1 className="sentence">{words.unknownRoute.title}</h1>
      <p className="t2">{words.unknownRoute.body(address)}</p>
      <Button kind="primary" onClick={() => goTo({ name: 'overview' })}>
        {words.unknownRoute.back}
      </Button>
    </div>
  );
}
