import { describe, expect, test } from 'vitest';
import { EventReader } from '../../../runner-core/host-exec/event-reader.ts';
import { isGoodResult } from '../../../runner-core/host-exec/events.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { bytesOf, INIT, line, observe, RESULT } from './host-exec-builders.ts';

test('one good result after an opening is all that success needs, and its fields are kept', () => {
  const observed = observe(line(INIT) + line(RESULT));
  expect(observed).toMatchObject({
    sessionId: 's-1',
    model: 'Composer 2.5',
    resultCount: 1,
    sawInit: true,
    events: 2,
    terminal: {
      subtype: 'success',
      isError: false,
      text: 'Done.',
      requestId: 'r-1',
      durationMs: 5210,
      usage: { inputTokens: 11, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 0 },
    },
  });
  expect(isGoodResult(observed)).toBe(true);
});

test('a result in the last line counts although nothing ends that line', () => {
  expect(isGoodResult(observe(JSON.stringify(RESULT)))).toBe(true);
});

test('carriage returns, empty lines and spaces around an event change nothing', () => {
  expect(isGoodResult(observe(`\r\n\n  ${JSON.stringify(RESULT)} \r\n`))).toBe(true);
});

test('however the bytes are cut, characters in the middle among them, the same is observed', () => {
  const output =
    line({ ...INIT, model: 'Größe 😀' }) +
    'plain ü words\n' +
    line({ ...RESULT, result: '😀'.repeat(50) });
  const bytes = bytesOf(output);
  const whole = observe(output);
  expect(whole.model).toBe('Größe 😀');
  const random = new SeededRandom(7);
  for (let round = 0; round < 60; round++) {
    const reader = new EventReader(new SecretMask());
    for (let at = 0; at < bytes.length;) {
      const next = at + random.integer(1, round === 0 ? 1 : 40);
      reader.push(bytes.subarray(at, next));
      at = next;
    }
    reader.end();
    expect(reader.observed).toEqual(whole);
  }
});

describe('a field of the wrong type', () => {
  test.each([
    ['duration_ms', { duration_ms: '5' }],
    ['a fractional duration', { duration_ms: 1.5 }],
    ['usage', { usage: 'much' }],
    ['model', { model: { id: 'x' } }],
    ['request_id', { request_id: 7 }],
    ['session_id', { session_id: [1] }],
    ['result', { result: null }],
  ])('%s does not void the result it stands in', (_name, changes) => {
    expect(isGoodResult(observe(line({ ...RESULT, ...changes })))).toBe(true);
  });

  test.each([
    ['no subtype', { subtype: undefined }],
    ['another subtype', { subtype: 'error_during_execution' }],
    ['a subtype in other case', { subtype: 'Success' }],
    ['is_error', { is_error: true }],
    ['is_error that is a text', { is_error: 'false' }],
  ])('a result with %s counts as one and is no success', (_name, changes) => {
    const observed = observe(line({ ...RESULT, ...changes }));
    expect(observed.resultCount).toBe(1);
    expect(isGoodResult(observed)).toBe(false);
  });
});

test('two results are counted, and what comes after the first is tolerated', () => {
  expect(observe(line(RESULT) + line(RESULT)).resultCount).toBe(2);
  const after = line({ type: 'assistant', session_id: 's-2' }) + line({ type: 'news' });
  expect(observe(line(RESULT) + after)).toMatchObject({ resultCount: 1, sessionId: 's-2' });
});

test('what is no event is kept as the end of the plain output, and no more than 2,048 characters of it', () => {
  expect(observe('All is well.\n[1]\n{"half\n').plainTail).toBe('All is well.\n[1]\n{"half\n');
  expect(observe('x'.repeat(50_000)).plainTail.length).toBe(2_048);
  expect(observe('All is well.\n').events).toBe(0);
});

test('a name of 300,000 characters, or with control characters, is no name', () => {
  expect(observe(line({ ...INIT, model: 'm'.repeat(300_000), session_id: 'a\nb' }))).toMatchObject({
    model: null,
    sessionId: null,
    sawInit: true,
  });
});

test('ten thousand lines between the opening and the result leave the model known', () => {
  const said = line({ type: 'assistant', session_id: 's-1' }) + 'plain\n';
  const observed = observe(line(INIT) + said.repeat(5_000) + line(RESULT));
  expect(isGoodResult(observed)).toBe(true);
  expect(observed).toMatchObject({ model: 'Composer 2.5', sessionId: 's-1', events: 5_002 });
});

test('tool calls are open from their start to their end', () => {
  const call = (id: string, subtype: string) =>
    line({ type: 'tool_call', subtype, call_id: id, tool_call: { readToolCall: { args: {} } } });
  expect(observe(call('1', 'started') + call('2', 'started')).openToolCalls).toBe(2);
  const ended = call('1', 'started') + call('2', 'started') + call('1', 'completed');
  expect(observe(ended).openToolCalls).toBe(1);
});

test('a shell left in the background is seen', () => {
  const shell = (result: object) =>
    line({
      type: 'tool_call',
      subtype: 'completed',
      call_id: 'c',
      tool_call: { shellToolCall: { result } },
    });
  expect(observe(shell({ isBackground: true, success: {} })).backgroundShell).toBe(true);
  expect(observe(shell({ isBackground: false })).backgroundShell).toBe(false);
});

describe('a line longer than is held', () => {
  const megabytes = (count: number): string => 'é"\\\n{}[]'.repeat((count * 2 ** 20) / 8);

  test('of 768 KiB and one byte before a result does not disturb it', () => {
    const giant = line({ type: 'tool_call', text: 'x'.repeat(786_433) });
    expect(isGoodResult(observe(line(INIT) + giant + line(RESULT)))).toBe(true);
  });

  test('that is a result counts with its outline', () => {
    const observed = observe(line({ ...RESULT, result: megabytes(3), model: 'Big' }));
    expect(isGoodResult(observed)).toBe(true);
    expect(observed).toMatchObject({
      model: 'Big',
      terminal: { durationMs: 5210, requestId: 'r-1' },
    });
    const late = observe(
      line({ big: megabytes(3), ...RESULT, result: megabytes(1), model: 'Big' }),
    );
    expect(late).toMatchObject({
      model: 'Big',
      sessionId: 's-1',
      terminal: { durationMs: 5210, usage: { inputTokens: 11 } },
    });
    expect(late.terminal?.text.slice(0, 8)).toBe(megabytes(1).slice(0, 8));
  });

  test('that is a failed result counts as failed', () => {
    const failed = line({ big: megabytes(2), type: 'result', subtype: 'success', is_error: true });
    expect(observe(failed)).toMatchObject({ resultCount: 1, terminal: { isError: true } });
  });

  test('a result inside of another event, or inside of a text, is none', () => {
    const inside = {
      type: 'tool_call',
      deep: RESULT,
      text: JSON.stringify(RESULT),
      big: megabytes(2),
    };
    expect(observe(line(inside)).resultCount).toBe(0);
  });

  test.each([
    ['cut', (text: string) => text.slice(0, -40)],
    ['followed by more', (text: string) => `${text.trimEnd()}x\n`],
    ['with a bad word', (text: string) => text.replace('"is_error":false', '"is_error":falsy')],
    ['with a bad escape', (text: string) => text.replace('Done', '\\qDone')],
    ['with a comma too many', (text: string) => text.replace(/}\n$/, ',}\n')],
  ])('that is %s is no event', (_name, spoil) => {
    expect(observe(spoil(line({ big: megabytes(2), ...RESULT }))).resultCount).toBe(0);
  });

  test('a background shell in it is seen', () => {
    const shell = {
      shellToolCall: { result: { success: { out: megabytes(2) }, isBackground: true } },
    };
    expect(
      observe(line({ type: 'tool_call', subtype: 'completed', tool_call: shell })).backgroundShell,
    ).toBe(true);
  });

  test('of 50 MB costs less than 16 MB of memory while it is read, in pieces of 64 KiB', () => {
    const reader = new EventReader(new SecretMask());
    const piece = bytesOf('y'.repeat(65_536));
    const before = process.memoryUsage();
    let most = 0;
    reader.push(bytesOf('{"type":"tool_call","text":"'));
    for (let sent = 0; sent < 50_000_000; sent += piece.length) {
      reader.push(piece);
      const now = process.memoryUsage();
      most = Math.max(
        most,
        now.heapUsed + now.arrayBuffers - before.heapUsed - before.arrayBuffers,
      );
    }
    reader.push(bytesOf(`"}\n${line(RESULT)}`));
    expect(isGoodResult(reader.observed)).toBe(true);
    expect(most).toBeLessThan(16 * 2 ** 20);
  });

  test('of no JSON at all is passed over', () => {
    expect(isGoodResult(observe(`${'z'.repeat(3 * 2 ** 20)}\n${line(RESULT)}`))).toBe(true);
  });
});

describe('secrets in what is kept', () => {
  const SECRET = 'swordfish-0123456789';
  const failed = (result: string, more: object = {}): string =>
    line({ ...more, ...RESULT, is_error: true, result });
  const resultText = (output: string): string => observe(output, [SECRET]).terminal?.text ?? '';

  test('the text of a result is masked before it is cut', () => {
    for (let before = 480; before <= 512; before++)
      expect(resultText(failed(`${'.'.repeat(before)}${SECRET} and more`))).not.toMatch(/sword/);
    expect(resultText(failed(`key ${SECRET}.`))).toBe('key ***.');
  });

  test('so is that of a result too long to be held, of which only the beginning is read', () => {
    const big = 'x'.repeat(2 ** 20);
    // Six bytes a character: what is captured ends within the characters that are kept.
    const escaped = (text: string): string => text.replaceAll('@', String.raw`\u00e9`);
    for (let before = 320; before <= 345; before++) {
      const output = failed(`${'@'.repeat(before)}${SECRET}${'.'.repeat(3_000)}`, { big });
      expect(resultText(escaped(output))).toMatch(/^é+(?:\*\*\*\.*)?…$/);
    }
    expect(resultText(failed(`key ${SECRET}.`, { big }))).toBe('key ***.');
  });

  test('a secret whose last character is cut in the middle leaves no rest', () => {
    const output = line({ big: 'x'.repeat(2 ** 20), ...RESULT, is_error: true });
    const secret = 'pässwörd-é';
    for (let before = 45; before <= 70; before++) {
      const text = `${String.raw`\u0061`.repeat(330)}${'.'.repeat(before)}${secret}`;
      const told = observe(output.replace('Done.', `${text}${'.'.repeat(3_000)}`), [secret]);
      expect(told.terminal?.text).toMatch(/^a{330}\.+(?:\*\*\*)?…$/);
    }
  });

  test('plain output is masked before it is cut, and begins with a whole line', () => {
    for (let before = 2_000; before <= 2_050; before++) {
      const { plainTail } = observe(`${'.'.repeat(before)}${SECRET}${'-'.repeat(9)}\n`, [SECRET]);
      expect(plainTail).not.toMatch(/sword|0123/);
    }
    expect(observe(`/home/ada/${'x'.repeat(2_000)}\n${'y'.repeat(100)}\n`).plainTail).toBe(
      `${'y'.repeat(100)}\n`,
    );
  });

  test('names are masked, and the words that decide of the run are read as they are', () => {
    const secrets = ['success', 'result', 'false', 'system', 'Composer 2.5', 's-1-and-more'];
    const output = line({ ...INIT, session_id: 's-1-and-more' });
    const observed = observe(output + line({ ...RESULT, session_id: undefined }), secrets);
    expect(isGoodResult(observed)).toBe(true);
    expect(observed).toMatchObject({ sessionId: '***', model: '***' });
  });
});
