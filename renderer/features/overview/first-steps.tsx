/** What a newcomer can do, before there is anything to show. */
import type { JSX, ReactNode } from 'react';
import type { OverviewView } from '../../../main/contract/views.ts';
import { copyText, runTestJob } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { formatBytes } from '../../format.ts';
import { words } from '../../words.ts';

export interface FirstStepsProps {
  readonly overview: OverviewView;
  readonly connected: boolean;
}

export function FirstSteps({ overview, connected }: FirstStepsProps): JSX.Element {
  const { testJob, engine, intake, held } = overview;
  const ready = connected && engine.kind === 'ready' && intake === 'open' && held.length === 0;
  const steps = testJob === null ? [submit()] : [test(testJob, ready), submit()];
  return (
    <section aria-labelledby="first-steps">
      <div className="sec-head">
        <h2 id="first-steps">{words.overview.first}</h2>
      </div>
      <ol className="panel rows firsts">
        {steps.map((step, index) => (
          <li key={index}>
            <span className="first-n" aria-hidden="true">
              {index + 1}
            </span>
            {step}
          </li>
        ))}
      </ol>
    </section>
  );
}

function test(job: NonNullable<OverviewView['testJob']>, ready: boolean): ReactNode {
  const pull = job.pullBytes === null ? null : formatBytes(job.pullBytes);
  return (
    <>
      <div className="grow">
        <div className="what">{words.overview.testJob}</div>
        <div className="why">{words.overview.testJobBody(job.image, job.local, pull)}</div>
      </div>
      <div className="acts">
        <Button kind="primary" icon="play" onClick={runTestJob} disabled={!ready}>
          {words.overview.testJob}
        </Button>
      </div>
    </>
  );
}

function submit(): ReactNode {
  const { submitCommand, copyCommand, commandCopied } = words.overview;
  return (
    <>
      <div className="grow">
        <div className="what">{words.overview.submit}</div>
        <div className="why">
          {words.overview.submitBody} <code>{submitCommand}</code>
        </div>
      </div>
      <div className="acts">
        <Button icon="copy" onClick={() => copyText(submitCommand, commandCopied)}>
          {copyCommand}
        </Button>
      </div>
    </>
  );
}
