/** Workers that carry out their job in the test's own process: what is told is the same, only the process is missing. */
import { JobExecution } from '../../runner-core/worker/job-execution.ts';
import type { WorkerHandle, WorkerLauncher } from '../../runner-core/ports.ts';
import { systemClock } from '../../runner-core/system.ts';
import type { FromWorker, ToWorker } from '../../runner-core/worker/protocol.ts';

export class InProcessLauncher implements Pick<WorkerLauncher, 'launch'> {
  readonly sent: ToWorker[] = [];
  launches = 0;

  launch(): WorkerHandle {
    this.launches += 1;
    let receive: (message: FromWorker) => void = () => undefined;
    const execution = new JobExecution({
      clock: systemClock,
      send: (message) => queueMicrotask(() => receive(message)),
      credentialsFor: () => Promise.reject(new Error('no image is pulled')),
      shortId: () => 'abcd1234',
      complain: (what) => void process.stderr.write(`${what}\n`),
    });
    const { promise: exited, resolve } = Promise.withResolvers<Awaited<WorkerHandle['exited']>>();
    const gone = (signal: string | null): void =>
      resolve({ code: signal === null ? 0 : null, signal, stderrTail: '' });
    void execution.ended.then(() => gone(null));
    return {
      pid: 1,
      send: (message) => {
        this.sent.push(message);
        execution.receive(message);
      },
      onMessage: (listener) => {
        receive = listener;
        queueMicrotask(() => listener({ kind: 'ready' }));
      },
      exited,
      // A killed process tells nothing more; its command is ended as by the system's other means.
      kill: () => {
        receive = () => undefined;
        void execution.abandon().then(() => gone('SIGKILL'));
      },
    };
  }
}
