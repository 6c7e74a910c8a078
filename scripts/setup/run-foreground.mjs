// @ts-check
/**
 * Runs a program in the foreground: this terminal is its terminal, signals reach it once, and its
 * exit code is handed back. Owns the signal rules that every entry script shares.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { node24, projectDir } from './places.mjs';

/** npm repeats a signal that its whole process group got already; the repeat comes within this time. */
const SAME_PRESS_MS = 100;
/** How often to look whether the process that started this one is still there. */
const PARENT_LOOK_MS = 250;
const PASSED_ON = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Whether a signal that reached this script has to be sent to the program as well. At a terminal
 * Ctrl-C reaches every process of the group, so the program has it already; and a repeat within
 * SAME_PRESS_MS is the same press, told once more by npm.
 *
 * @param {{ signal: string, atTerminal: boolean, sinceLastMs: number }} press
 * @returns {boolean}
 */
export function mustPassOn({ signal, atTerminal, sinceLastMs }) {
  if (signal === 'SIGINT' && atTerminal) return false;
  return sinceLastMs >= SAME_PRESS_MS;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, stdio?: import('node:child_process').StdioOptions }} [options]
 * @returns {Promise<number>} the exit code; 128 + the signal's number where a signal ended it
 */
export function runForeground(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    /** @type {Map<string, number>} */
    const lastMs = new Map();
    const handlers = PASSED_ON.map((signal) => {
      const handle = () => {
        const nowMs = performance.now();
        const sinceLastMs = nowMs - (lastMs.get(signal) ?? Number.NEGATIVE_INFINITY);
        lastMs.set(signal, nowMs);
        if (mustPassOn({ signal, atTerminal: process.stdin.isTTY === true, sinceLastMs }))
          child.kill(signal);
      };
      process.on(signal, handle);
      return () => void process.off(signal, handle);
    });
    // A signal sent to npm alone ends only the shell between npm and this script. Nobody is left to
    // stop the program then, so that counts as being asked to.
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      // Once: whatever ended the parent, such as a terminal that closed, may have asked already.
      if (lastMs.size === 0) child.kill('SIGTERM');
    }, PARENT_LOOK_MS);
    const release = () => {
      clearInterval(watch);
      handlers.forEach((off) => off());
    };
    child.on('error', (error) => {
      release();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      release();
      resolve(code ?? 128 + (signal === null ? 1 : constants.signals[signal]));
    });
  });
}

/**
 * Runs a script of this project on its own Node 24, which reads TypeScript as it is.
 *
 * @param {string} script path within the project
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>} as runForeground
 */
export function runOnNode24(script, args, options = {}) {
  return runForeground(node24, [join(projectDir, script), ...args], {
    cwd: projectDir,
    ...options,
  });
}
