import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { mustPassOn } from '../../scripts/setup/run-foreground.mjs';

const module_ = new URL('../../scripts/setup/run-foreground.mjs', import.meta.url).href;

/** A wrapper as the entry scripts are, around a program given as source text. */
function wrapped(program: string): ChildProcessByStdio<null, Readable, null> {
  return started(process.execPath, ['--input-type=module', '--eval', wrapperOf(program)]);
}

function wrapperOf(program: string): string {
  return `
    import { runForeground } from ${JSON.stringify(module_)};
    process.exitCode = await runForeground(process.execPath, ['--eval', ${JSON.stringify(program)}]);
  `;
}

function started(command: string, args: readonly string[]): ReturnType<typeof wrapped> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('the exit code of the program is the exit code of the wrapper', async () => {
  const child = wrapped('process.exit(7)');
  expect(await once(child, 'exit')).toEqual([7, null]);
});

test('a program ended by a signal gives 128 and the number of the signal', async () => {
  const child = wrapped("process.kill(process.pid, 'SIGKILL')");
  expect(await once(child, 'exit')).toEqual([137, null]);
});

test('a signal sent to the wrapper reaches the program, and the wrapper waits for it to end', async () => {
  const child = wrapped(`
    process.on('SIGTERM', () => { console.log('stopping'); process.exit(3); });
    setInterval(() => {}, 1000);
    console.log('ready');
  `);
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  child.kill('SIGTERM');
  expect(await once(lines, 'line')).toEqual(['stopping']);
  expect(await once(child, 'exit')).toEqual([3, null]);
});

test('a program whose wrapper has lost the shell it was started by is asked to end', async () => {
  const source = wrapperOf(`
    process.on('SIGTERM', () => { console.log('stopping'); process.exit(0); });
    setInterval(() => {}, 1000);
    console.log(process.pid);
  `);
  const script = '"$0" --input-type=module --eval "$1" & wait';
  const shell = started('sh', ['-c', script, process.execPath, source]);
  const lines = createInterface(shell.stdout);
  const [pid] = (await once(lines, 'line')) as [string];
  onTestFinished(() => endIfAlive(Number(pid)));
  shell.kill('SIGKILL');
  expect(await once(lines, 'line')).toEqual(['stopping']);
});

test('a program that was told already is not told again when the shell is gone as well', async () => {
  const source = wrapperOf(`
    process.on('SIGTERM', () => console.log('told again'));
    process.on('SIGHUP', () => {
      console.log('told');
      setTimeout(() => { console.log('told once'); process.exit(0); }, 1000);
    });
    setInterval(() => {}, 1000);
    console.log(process.ppid);
  `);
  const script = '"$0" --input-type=module --eval "$1" & wait';
  const shell = started('sh', ['-c', script, process.execPath, source]);
  const lines = createInterface(shell.stdout);
  const [wrapper] = (await once(lines, 'line')) as [string];
  onTestFinished(() => endIfAlive(Number(wrapper)));
  process.kill(Number(wrapper), 'SIGHUP');
  expect(await once(lines, 'line')).toEqual(['told']);
  shell.kill('SIGKILL');
  expect(await once(lines, 'line')).toEqual(['told once']);
});

test.each([
  ['the first SIGTERM is passed on', 'SIGTERM', true, Infinity, true],
  ['its echo is not', 'SIGTERM', true, 5, false],
  ['a second SIGTERM, later, is', 'SIGTERM', true, 800, true],
  ['Ctrl-C at a terminal is not: the program has it already', 'SIGINT', true, Infinity, false],
  ['SIGINT without a terminal is', 'SIGINT', false, Infinity, true],
])('%s', (_what, signal, atTerminal, sinceLastMs, expected) => {
  expect(mustPassOn({ signal, atTerminal, sinceLastMs })).toBe(expected);
});

function endIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone, as it should be.
  }
}
