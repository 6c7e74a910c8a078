/** Two ways to use a page: with a pointer, and with the keyboard alone. The same story is told with both. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { focusOf } from './focus.ts';

export interface Hand {
  /** Presses a button or follows a link. */
  press(control: Locator): Promise<void>;
  /** Goes to one of the page's places. */
  goTo(page: Page, place: 'Overview' | 'Jobs' | 'Permissions'): Promise<void>;
  /** Opens the job that the list of jobs shows first. */
  openFirstJob(page: Page): Promise<void>;
}

export const pointer: Hand = {
  press: (control) => control.click(),
  goTo: (page, place) => page.getByRole('navigation').getByRole('link', { name: place }).click(),
  openFirstJob: (page) => page.getByRole('grid').getByRole('row').nth(1).click(),
};

const LETTERS = { Overview: 'o', Jobs: 'j', Permissions: 'p' } as const;
/** More stops than any screen has. */
const MOST_STOPS = 80;

export const keyboard: Hand = {
  async press(control) {
    await tabTo(control);
    await control.page().keyboard.press('Enter');
  },
  async goTo(page, place) {
    await page.keyboard.press('g');
    await page.keyboard.press(LETTERS[place]);
    await page.getByRole('heading', { level: 1 }).waitFor();
  },
  async openFirstJob(page) {
    await tabTo(page.getByRole('grid'));
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
  },
};

/** Presses Tab until the control has the focus. Every stop on the way has to be seen. */
export async function tabTo(control: Locator): Promise<void> {
  const page = control.page();
  await control.waitFor();
  const focused = control.and(page.locator(':focus'));
  const passed: string[] = [];
  while ((await focused.count()) === 0) {
    await page.keyboard.press('Tab');
    const focus = await focusOf(page);
    passed.push(focus.name);
    if (passed.length > MOST_STOPS)
      throw new Error(`Tab does not lead to ${String(control)}; it passed ${passed.join(' · ')}`);
    if (focus.kind === 'control') expect(focus).toEqual({ ...focus, ring: true, inView: true });
  }
}
