/** One job: how it goes or why it ended so, its log, and the facts about it. */
import { useEffect, useRef, type JSX } from 'react';
import { Button } from '../../components/button.tsx';
import { useTopic } from '../../host-client/use-topic.ts';
import { jobWords } from '../../job-words.ts';
import { ALL_JOBS, goTo } from '../../router.ts';
import { speak } from '../../stores/notice-store.ts';
import { words } from '../../words.ts';
import { JobPage } from './job-page.tsx';
import './job.css';

export interface JobScreenProps {
  readonly jobId: string;
}

export function JobScreen({ jobId }: JobScreenProps): JSX.Element {
  const { view: job, problem } = useTopic('job', { jobId });
  const spoken = useRef<string | undefined>(undefined);
  const state = job?.state;
  const title = job?.title ?? '';
  useEffect(() => {
    if (state === undefined) return;
    if (spoken.current !== undefined && spoken.current !== state)
      speak(words.jobChanged(title, state));
    spoken.current = state;
  }, [state, title]);

  if (problem !== undefined)
    return (
      <Nothing
        title={jobWords.failedTitle}
        text={[problem.message, problem.remedy].join(' ').trim()}
      />
    );
  if (job === undefined) return <Loading />;
  if (job === null) return <Nothing title={jobWords.unknownTitle} text={jobWords.unknownBody} />;
  return <JobPage key={jobId} job={job} />;
}

function Nothing({ title, text }: { readonly title: string; readonly text: string }): JSX.Element {
  return (
    <div className="job-none">
      <h1>{title}</h1>
      <p className="t2">{text}</p>
      <Button onClick={() => goTo(ALL_JOBS)}>{jobWords.toJobs}</Button>
    </div>
  );
}

/** Shapes of the final heights. Drawn late (by CSS), since the answer mostly comes at once. */
function Loading(): JSX.Element {
  return (
    <div className="job-loading" role="status">
      <span className="vh">{jobWords.loading}</span>
      <div className="jobhead">
        <div className="jobtitle">
          <span className="bone bone-title" />
        </div>
        <div className="steps">
          <span className="bone bone-steps" />
        </div>
      </div>
      <div className="bones">
        {Array.from({ length: 8 }, (_, index) => (
          <span key={index} className="bone" />
        ))}
      </div>
    </div>
  );
}
