/** Where a page's focus is, and whether somebody could see it. */
import type { Page } from 'playwright-core';
import * as z from 'zod';

const focusSchema = z.object({
  /** `page`: on nothing in particular. */
  kind: z.enum(['page', 'control']),
  /** As a person would call it. */
  name: z.string(),
  /** The focus colour is drawn around it, or around what stands for it. */
  ring: z.boolean(),
  inView: z.boolean(),
});
export type Focus = z.infer<typeof focusSchema>;

/** A dialog sends the focus back to its first control from a place behind its last, which takes a frame or two. */
const FRAMES_TO_MOVE_ON = 10;

/** Text for the page: its functions are not known here. */
const LOOK = `(async () => {
  for (let frame = 0; frame < ${FRAMES_TO_MOVE_ON}; frame += 1) {
    if (document.activeElement?.getAttribute('aria-hidden') !== 'true') break;
    await new Promise((drawn) => requestAnimationFrame(drawn));
  }
  const element = document.activeElement;
  if (element === null || element === document.body)
    return { kind: 'page', name: 'the page', ring: false, inView: false };
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = matchMedia('(forced-colors: active)').matches ? 'Highlight' : 'var(--focus-color)';
  const colour = getComputedStyle(probe).color;
  probe.remove();
  const drawn = (node, pseudo) => {
    const style = getComputedStyle(node, pseudo);
    const has = (kind) =>
      style[kind + 'Style'] !== 'none' && parseFloat(style[kind + 'Width']) > 0 && style[kind + 'Color'] === colour;
    if (pseudo !== undefined && style.content === 'none') return false;
    return style.boxShadow.includes(colour) || has('outline') || has('borderTop');
  };
  const active = document.getElementById(element.getAttribute('aria-activedescendant') ?? '');
  const places = [element, element.parentElement, element.closest('.field'), active].filter((node) => node !== null);
  const box = element.getBoundingClientRect();
  const name =
    element.getAttribute('aria-label') ?? element.textContent.trim().replace(/\\s+/g, ' ').slice(0, 60);
  return {
    kind: 'control',
    name: name + ' (' + (element.getAttribute('role') ?? element.tagName.toLowerCase()) + ')',
    ring: places.some((node) => drawn(node) || drawn(node, '::before') || drawn(node, '::after')),
    inView:
      box.width > 1 && box.height > 1 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
  };
})()`;

export async function focusOf(page: Page): Promise<Focus> {
  return focusSchema.parse(await page.evaluate(LOOK));
}
