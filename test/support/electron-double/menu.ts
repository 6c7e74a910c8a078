/** `Menu`: built from a template, read and clicked by the test. */
import type { MenuItemConstructorOptions } from 'electron';
import type { MenuRow } from '../desktop-state.ts';
import { onlyKeys, strict } from './strict.ts';

const KNOWN = ['label', 'enabled', 'type', 'submenu', 'click', 'role', 'checked'];

export class MenuDouble {
  readonly template: readonly MenuItemConstructorOptions[];

  private constructor(template: readonly MenuItemConstructorOptions[]) {
    this.template = template;
  }

  static buildFromTemplate(template: MenuItemConstructorOptions[]): MenuDouble {
    for (const item of template) check(item);
    return new MenuDouble(template);
  }

  static setApplicationMenu(menu: MenuDouble | null): void {
    if (menu !== null && process.platform !== 'darwin')
      throw new Error('no menu bar is wanted here');
  }

  rows(): MenuRow[] {
    return rowsOf(this.template);
  }

  /** As a person clicks through it. Throws for a row that is not there, is grey, or does nothing. */
  click(path: readonly string[]): void {
    let items: readonly MenuItemConstructorOptions[] = this.template;
    path.forEach((words, depth) => {
      const item = items.find((known) => shown(known) === words);
      if (item === undefined)
        throw new Error(`no row "${words}" among ${items.map(shown).join(' | ')}`);
      if (item.enabled === false) throw new Error(`the row "${words}" is grey`);
      if (depth < path.length - 1) {
        if (!Array.isArray(item.submenu)) throw new Error(`the row "${words}" has no menu`);
        items = item.submenu;
        return;
      }
      if (item.click === undefined) throw new Error(`the row "${words}" does nothing`);
      // The shell looks at none of the arguments; one that did would find nothing here.
      const nothing = strict('click argument', {});
      item.click(nothing as never, undefined, nothing);
    });
  }
}

function check(item: MenuItemConstructorOptions): void {
  onlyKeys('menu item', item, KNOWN);
  if (item.type !== 'separator' && item.role === undefined && item.label === undefined)
    throw new Error('Invalid template for MenuItem: must have either label, role or type');
  if (item.checked !== undefined && item.type !== 'checkbox')
    throw new Error('only a checkbox is checked');
  if (Array.isArray(item.submenu)) item.submenu.forEach(check);
}

/** A single ampersand is not shown, a double one is one. */
const shown = (item: MenuItemConstructorOptions): string =>
  (item.label ?? '').replaceAll(/&(.)/g, '$1');

function rowsOf(items: readonly MenuItemConstructorOptions[]): MenuRow[] {
  return items.map((item) => ({
    label: shown(item),
    enabled: item.enabled !== false,
    separator: item.type === 'separator',
    submenu: Array.isArray(item.submenu) ? rowsOf(item.submenu) : null,
  }));
}

export const Menu = strict('Menu', MenuDouble);
