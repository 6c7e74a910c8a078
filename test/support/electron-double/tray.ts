/** `Tray` and `nativeImage`. An image is a file that is really there. */
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { appDouble } from './app.ts';
import { changed, obeys, shows } from './control.ts';
import { Emitter } from './emitter.ts';
import type { MenuDouble } from './menu.ts';
import { strict } from './strict.ts';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

export interface NativeImageDouble {
  isEmpty(): boolean;
  /** Not Electron's: what the test is told. */
  readonly file: string;
}

export const nativeImage = strict('nativeImage', {
  createFromPath(path: string): NativeImageDouble {
    const isThere = existsSync(path) && readFileSync(path).subarray(0, 4).equals(PNG_SIGNATURE);
    return { file: basename(path), isEmpty: () => !isThere };
  },
});

export type TrayEvents = { readonly click: readonly [] };

let isShown = false;

export class TrayDouble extends Emitter<TrayEvents> {
  #image: NativeImageDouble;
  #toolTip = '';
  #menu: MenuDouble | null = null;
  #isDestroyed = false;

  constructor(image: NativeImageDouble) {
    super('Tray', ['click']);
    appDouble.requireReady('Tray');
    this.#image = usable(image);
    if (isShown) throw new Error('the shell has one icon in the tray');
    isShown = true;
    shows('tray', () =>
      this.#isDestroyed
        ? null
        : { image: this.#image.file, toolTip: this.#toolTip, menu: this.#menu?.rows() ?? [] },
    );
    obeys('click_menu', ({ path }) => this.#menu?.click(path));
    obeys('click_tray', () => void this.raise('click'));
    changed();
    return strict<TrayDouble>('Tray', this);
  }

  setImage(image: NativeImageDouble): void {
    this.#use();
    this.#image = usable(image);
  }

  setToolTip(toolTip: string): void {
    this.#use();
    this.#toolTip = toolTip;
  }

  setTitle(title: string): void {
    if (process.platform !== 'darwin') throw new Error(`a title (${title}) is for macOS`);
  }

  setContextMenu(menu: MenuDouble | null): void {
    this.#use();
    this.#menu = menu;
  }

  destroy(): void {
    this.#use();
    this.#isDestroyed = true;
    isShown = false;
  }

  #use(): void {
    if (this.#isDestroyed) throw new Error('Tray is destroyed');
    changed();
  }
}

function usable(image: NativeImageDouble): NativeImageDouble {
  if (image.isEmpty()) throw new Error(`${image.file} is no image, and the icon would not be seen`);
  return image;
}
