/** The icon in the tray: Electron tells nobody what it shows, so what the shell gives it is kept here. */
import { nativeImage, Tray, type Menu, type MenuItem, type NativeImage } from 'electron';
import { basename } from 'node:path';
import type { DesktopState, MenuRow } from '../desktop-state.ts';
import { replaced } from './replaced.ts';

type Shown = Pick<MenuItem, 'label' | 'enabled' | 'type' | 'click'> & {
  readonly submenu?: Pick<Menu, 'items'>;
};
const NAMES = ['setImage', 'setToolTip', 'setContextMenu', 'destroy'] as const;

const files = new WeakMap<NativeImage, string>();
let click: (() => void) | null = null;
let image = '';
let toolTip = '';
let menu: Pick<Menu, 'items'> | null = null;

const KEEP: { readonly [N in (typeof NAMES)[number]]: (...given: Parameters<Tray[N]>) => void } = {
  setImage(given) {
    image = typeof given === 'string' || given.isEmpty() ? '' : (files.get(given) ?? '');
  },
  setToolTip(words) {
    toolTip = words;
  },
  setContextMenu(given) {
    menu = given;
  },
  destroy() {
    click = null;
  },
};

export function watchTray(changed: () => void): void {
  replaced(nativeImage, 'createFromPath', (given) => (path) => {
    const made = given(path);
    files.set(made, basename(path));
    return made;
  });
  for (const name of NAMES) watchMethod(name, changed);
}

/** Every icon is made by the class, so its methods are the one place where all that it is given comes by. */
function watchMethod(name: (typeof NAMES)[number], changed: () => void): void {
  const method: unknown = Reflect.get(Tray.prototype, name);
  if (typeof method !== 'function') throw new Error(`Electron's tray has no ${name}`);
  Object.defineProperty(Tray.prototype, name, {
    configurable: true,
    value(this: Tray, ...given: never[]) {
      click = () => void this.emit('click');
      const keep: (...args: never[]) => void = KEEP[name];
      keep(...given);
      Reflect.apply(method, this, given);
      changed();
    },
  });
}

export function trayState(): DesktopState['tray'] {
  return click === null ? null : { image, toolTip, menu: rowsOf(itemsOf(menu)) };
}

const itemsOf = (of: Pick<Menu, 'items'> | null): readonly Shown[] => of?.items ?? [];

/** A single ampersand is not shown, a double one is one. */
const labelOf = (item: Shown): string => item.label.replaceAll(/&(.)/g, '$1');

function rowsOf(items: readonly Shown[]): MenuRow[] {
  return items.map((item) => ({
    label: labelOf(item),
    enabled: item.enabled,
    separator: item.type === 'separator',
    submenu: item.submenu === undefined ? null : rowsOf(itemsOf(item.submenu)),
  }));
}

export function clickTray(): void {
  click?.();
}

/** As a person clicks through it. Throws for a row that is not there or is grey. */
export function clickMenu(path: readonly string[]): void {
  let items = itemsOf(menu);
  path.forEach((words, depth) => {
    const item = items.find((known) => labelOf(known) === words);
    if (item?.enabled !== true) throw new Error(`no row "${words}" that can be clicked`);
    if (depth < path.length - 1) items = itemsOf(item.submenu ?? null);
    else Reflect.apply(item.click, item, []);
  });
}
