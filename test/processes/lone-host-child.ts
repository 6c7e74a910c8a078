/**
 * The part of a host that a worker needs, in a process that can be killed: it starts one worker, tells its number, gives it
 * the order it was sent, and notes, grants and stores at once. Its output is the worker's as well, and so ends with both.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseFromWorker, type ToWorker } from '../../runner-core/worker/protocol.ts';

const WORKER_MAIN = fileURLToPath(
  new URL('../../runner-core/worker/worker-main.ts', import.meta.url),
);

process.once('message', (order: ToWorker) => {
  const { PATH = '', HOME = '' } = process.env;
  const worker = fork(WORKER_MAIN, [], {
    serialization: 'advanced',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { PATH, HOME },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const send = (message: ToWorker): void => void worker.send(message);
  worker.on('message', (value) => {
    const message = parseFromWorker(value);
    if (message.kind === 'made') send({ kind: 'noted', leftover: message.leftover });
    if (message.kind === 'start_wanted') send({ kind: 'start_granted' });
    const last = message.kind === 'log' ? message.chunks.at(-1) : undefined;
    if (last !== undefined) send({ kind: 'log_stored', throughSeq: last.seq });
  });
  process.send?.(worker.pid);
  send(order);
});
