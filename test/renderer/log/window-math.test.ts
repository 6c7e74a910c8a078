import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_CONTENT_PX, ROW_PX, ScrollModel } from '../../../renderer/log/window-math.ts';

/** What Chromium can lay out. */
const TALLEST_ELEMENT_PX = 16_777_216;
const VIEWPORT_PX = 600;

function model(rows: number, tailPx = 0): ScrollModel {
  const made = new ScrollModel();
  made.resize({ rows, viewportPx: VIEWPORT_PX, tailPx });
  return made;
}

test('no log makes an element taller than can be laid out, at 200 % zoom neither', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), (rows) => {
      expect(model(rows).contentPx * 2).toBeLessThanOrEqual(TALLEST_ELEMENT_PX);
    }),
  );
});

test('below the limit a pixel is a pixel', () => {
  const log = model(MAX_CONTENT_PX / ROW_PX);
  for (const real of [0, 1, 19, 20, 4_000_001, 7_999_400]) {
    log.scrolled(real);
    expect(log.top).toBe(real);
  }
});

describe('beyond the limit', () => {
  const rows = fc.integer({ min: 500_000, max: 100_000_000 });

  test('both ends can be reached, to the pixel', () => {
    fc.assert(
      fc.property(rows, (count) => {
        const log = model(count);
        log.scrolled(log.contentPx - VIEWPORT_PX);
        expect(log.top).toBe(log.maxTop);
        expect(log.window().end).toBe(count);
        log.scrolled(0);
        expect(log.window()).toMatchObject({ first: 0, hidden: 0 });
      }),
    );
  });

  test('where it is put and where it is found agree', () => {
    fc.assert(
      fc.property(rows, fc.double({ min: 0, max: 1, noNaN: true }), (count, share) => {
        const log = model(count);
        const real = log.goTo(share * log.maxTop);
        const before = log.top;
        log.scrolled(real === 0 ? 0 : real - 2 * VIEWPORT_PX);
        log.scrolled(real);
        // A far jump and back passes through the mapping both ways.
        expect(Math.abs(log.top - before)).toBeLessThan(1 + log.maxTop / 1e9);
      }),
    );
  });

  test('a notch of the wheel passes as many rows as in a short log, everywhere', () => {
    fc.assert(
      fc.property(rows, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (count, share) => {
        const log = model(count);
        const real = log.goTo(share * log.maxTop);
        const before = log.top;
        log.scrolled(real + 100);
        expect(log.top - before).toBeCloseTo(100, 3);
      }),
    );
  });

  test('scrolling on and on drifts, and is put right without moving a row', () => {
    const log = model(10_000_000);
    let real = log.goTo(50_000_000);
    for (let notch = 0; notch < 500; notch++) {
      real += 100;
      log.scrolled(real);
    }
    const { top } = log;
    expect(top).toBeCloseTo(50_050_000, 0);
    expect(log.drift).toBeGreaterThan(1);
    log.resync();
    expect(log.top).toBe(top);
    expect(log.drift).toBe(0);
  });
});

test('a log that grows leaves the row at the edge where it is', () => {
  const log = model(1_000);
  log.goTo(5_010);
  const before = log.window();
  log.resize({ rows: 900_000, viewportPx: VIEWPORT_PX, tailPx: 0 });
  expect(log.window()).toEqual(before);
});

test('the window holds every row of which a part shows, and no other', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (rows, share) => {
        const log = model(rows);
        log.goTo(share * log.maxTop);
        const { first, end } = log.window();
        expect(first * ROW_PX).toBeLessThanOrEqual(log.top);
        expect((first + 1) * ROW_PX).toBeGreaterThan(log.top);
        expect(end * ROW_PX >= Math.min(log.top + VIEWPORT_PX, rows * ROW_PX)).toBe(true);
        expect(end).toBeLessThanOrEqual(rows);
      },
    ),
  );
});

test('an empty log has an empty window at its end', () => {
  const log = model(0);
  expect(log.window()).toEqual({ first: 0, end: 0, hidden: 0 });
  expect(log.atEnd).toBe(true);
});

test('one row up is not the end any more', () => {
  const log = model(1_000);
  log.goTo(log.maxTop);
  expect(log.atEnd).toBe(true);
  log.goTo(log.maxTop - ROW_PX);
  expect(log.atEnd).toBe(false);
});

test('a row in view is not moved, one out of view comes into the upper third', () => {
  const log = model(1_000);
  log.goTo(4_000);
  expect(log.topToShow(210)).toBe(4_000);
  log.goTo(log.topToShow(500));
  const { first, end } = log.window();
  expect(first).toBeLessThan(500);
  expect(500 - first).toBeLessThan((end - first) / 2);
});
