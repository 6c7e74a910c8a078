/** Every way to quit, with and without jobs. */
import { expect, test } from 'vitest';
import { Lifecycle } from '../../electron/lifecycle.ts';
import { settle } from '../support/fake-clock.ts';

function bench({ held, chosen = [] }: { held: number; chosen?: readonly number[] }): {
  lifecycle: Lifecycle;
  done: string[];
  hostStopped: () => void;
  asked: () => number;
} {
  const done: string[] = [];
  let asked = 0;
  let hostStopped = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (hostStopped = resolve));
  const lifecycle = new Lifecycle({
    heldJobs: () => ({ containers: held, commands: 0 }),
    stopHost(how) {
      done.push(how);
      return stopped;
    },
    ask(question) {
      asked += 1;
      return Promise.resolve(chosen[asked - 1] ?? question.stay);
    },
    withdraw: () => void done.push('withdraw'),
    exit: (code) => void done.push(`exit ${code}`),
  });
  return { lifecycle, done, hostStopped, asked: () => asked };
}

test('without jobs nothing is asked, and the app ends once the host has', async () => {
  const { lifecycle, done, hostStopped, asked } = bench({ held: 0 });
  const ended = lifecycle.requestQuit();
  expect(done).toEqual(['withdraw', 'stop']);
  hostStopped();
  await ended;
  expect({ done, asked: asked() }).toEqual({ done: ['withdraw', 'stop', 'exit 0'], asked: 0 });
});

test.each([
  [0, ['drain', 'exit 0']],
  [1, ['withdraw', 'stop', 'exit 0']],
  [2, ['withdraw', 'leave', 'exit 0']],
] as const)('the answer %i ends the app by %j', async (button, expected) => {
  const { lifecycle, done, hostStopped } = bench({ held: 2, chosen: [button] });
  await lifecycle.requestQuit();
  hostStopped();
  await settle();
  expect(done).toEqual(expected);
});

test('the answer to stay, and closing the question, change nothing', async () => {
  const { lifecycle, done } = bench({ held: 1, chosen: [3, -1] });
  await lifecycle.requestQuit();
  await lifecycle.requestQuit();
  expect(done).toEqual([]);
});

test('while a question is open a second quit asks nothing', async () => {
  const { lifecycle, asked } = bench({ held: 1 });
  await Promise.all([lifecycle.requestQuit(), lifecycle.requestQuit()]);
  expect(asked()).toBe(1);
});

test('while jobs finish the owner can still choose a quicker end', async () => {
  const { lifecycle, done, hostStopped } = bench({ held: 1, chosen: [0, 2] });
  await lifecycle.requestQuit();
  await lifecycle.requestQuit();
  hostStopped();
  await lifecycle.leave();
  expect(done.slice(0, 3)).toEqual(['drain', 'withdraw', 'leave']);
});

test('a shutdown of the system leaves the jobs running and asks nothing', async () => {
  const { lifecycle, done, hostStopped, asked } = bench({ held: 2 });
  const ended = lifecycle.leave();
  hostStopped();
  await ended;
  expect({ done, asked: asked() }).toEqual({ done: ['withdraw', 'leave', 'exit 0'], asked: 0 });
});

test('an end that was chosen elsewhere asks nothing', async () => {
  const { lifecycle, done, hostStopped, asked } = bench({ held: 2 });
  const ended = lifecycle.quit('leave');
  hostStopped();
  await ended;
  expect({ done, asked: asked() }).toEqual({ done: ['withdraw', 'leave', 'exit 0'], asked: 0 });
});
