import { expect, test } from 'vitest';
import { judge } from '../../../runner-core/host-exec/verdict.ts';
import { maskedEnd, maskedVerdict } from '../../../runner-core/worker/masked-verdict.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';
import { hostEnd, INIT, line } from '../host-exec/host-exec-builders.ts';

test('a secret that holds a path is masked whole, before paths are taken out', () => {
  const secret = 'token /home/ada/key of-the-owner';
  const mask = new SecretMask([secret]);
  const end = hostEnd(line(INIT), { exitCode: 1, stderrTail: `Error: bad ${secret}!\n` });
  const { error, reason } = judge(maskedEnd(end, mask));
  expect(error).toContain('output:\nError: bad ***!');
  expect(error).not.toMatch(/token|of-the-owner/);
  expect(reason?.facts['lastWords']).toBe('Error: bad ***');
});

test('what kept a command from its start is masked before its paths are taken out', () => {
  const mask = new SecretMask(['opt/tools-0123/bin']);
  const startProblem = {
    step: 'executable',
    code: 'missing',
    detail: 'none in /opt/tools-0123/bin',
  };
  const end = hostEnd('', {
    ending: 'not_started',
    startProblem: { ...startProblem, step: 'executable' },
  });
  expect(judge(maskedEnd(end, mask)).reason?.facts['detail']).toBe('none in /***');
});

test('a secret at either end of what is shown of stderr, or torn by an escape, leaves no rest', () => {
  const secret = 'swordfish-0123456789';
  const mask = new SecretMask([secret]);
  for (let after = 2_030; after < 2_052; after++) {
    const stderrTail = `${secret}${'\n.'.repeat(after / 2)}`;
    expect(judge(maskedEnd(hostEnd('', { exitCode: 1, stderrTail }), mask)).error).not.toMatch(
      /0123/,
    );
  }
  const torn = hostEnd('', { exitCode: 1, stderrTail: 'sword\u001b[1mfish-0123456789' });
  expect(judge(maskedEnd(torn, mask)).error).toContain('output:\n***');
});

test('the code of an error stays, though a value of the owner is part of it; the words behind it are masked', () => {
  const mask = new SecretMask(['exit', 'broke']);
  const verdict = judge(hostEnd('', { exitCode: 1, stderrTail: 'it broke' }));
  const { error, reason } = maskedVerdict(verdict, mask);
  expect(error).toBe(
    'host_exec_exit_nonzero: Cursor ended with *** code 1 (last words: it ***).\nThe end of its error output:\nit ***',
  );
  expect(reason).toEqual({
    code: 'host_exec_exit_nonzero',
    facts: { exitCode: '1', lastWords: 'it ***' },
  });
});
