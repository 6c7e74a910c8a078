import { describe, expect, test } from 'vitest';
import { logCommand, type KeyPress } from '../../../renderer/components/log-view/log-keys.ts';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
});

describe('keys of the log', () => {
  test.each([
    ['n', 'next-hit'],
    ['E', 'previous-error'],
    [':', 'go-to'],
    ['f', 'follow'],
  ])('%s works anywhere on the screen', (key, command) => {
    expect(logCommand(press(key), false, true)).toBe(command);
  });

  test.each([
    ['g', 'start'],
    ['End', 'end'],
    [' ', 'page-down'],
    ['ArrowUp', 'row-up'],
  ])('%s works inside the log only', (key, command) => {
    expect([logCommand(press(key), true, true), logCommand(press(key), false, true)]).toEqual([
      command,
      null,
    ]);
  });

  test('single letters can be switched off; other keys stay', () => {
    expect(logCommand(press('n'), true, false)).toBeNull();
    expect(logCommand(press('End'), true, false)).toBe('end');
    expect(logCommand(press('f', { ctrlKey: true }), false, false)).toBe('find');
  });

  test('with a modifier a letter is not a shortcut of the log', () => {
    expect(logCommand(press('n', { ctrlKey: true }), true, true)).toBeNull();
    expect(logCommand(press('e', { altKey: true }), true, true)).toBeNull();
  });

  test('copying with and without times', () => {
    expect(logCommand(press('c', { metaKey: true }), true, true)).toBe('copy');
    expect(logCommand(press('C', { ctrlKey: true, shiftKey: true }), true, true)).toBe(
      'copy-times',
    );
  });
});
