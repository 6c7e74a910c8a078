/** The icon in the tray, drawn from the overview. Owns when to draw anew. */
import { app, Menu, nativeImage, nativeTheme, Tray, type NativeImage } from 'electron';
import { join } from 'node:path';
import type { OverviewView } from '../main/contract/views.ts';
import type { Clock, Timer } from '../runner-core/ports.ts';
import { trayIconFile, trayShade } from './tray-icon.ts';
import { trayMenu, type TrayActs } from './tray-menu.ts';
import { clockWords, OFFLINE_AFTER_MS, trayView, type TrayState } from './tray-view.ts';

export interface HostTrayOptions {
  /** Absolute folder of the images. */
  readonly icons: string;
  readonly osName: NodeJS.Platform;
  readonly desktop: string | undefined;
  readonly clock: Clock;
  readonly acts: TrayActs;
}

export class HostTray {
  readonly #options: HostTrayOptions;
  readonly #tray: Tray;
  #overview: OverviewView | null = null;
  #awaySinceMs: number | null;
  #longAway: Timer | null = null;
  #drawn = '';
  readonly #drawAgain = (): void => this.#draw();

  constructor(options: HostTrayOptions, first: OverviewView) {
    this.#options = options;
    this.#awaySinceMs = options.clock.nowMs();
    this.#tray = new Tray(this.#image('connecting'));
    this.#tray.on('click', options.acts.open);
    nativeTheme.on('updated', this.#drawAgain);
    this.show(first);
  }

  show(overview: OverviewView): void {
    this.#overview = overview;
    if (overview.session.kind === 'online') {
      this.#awaySinceMs = null;
      this.#longAway?.cancel();
      this.#longAway = null;
    } else {
      this.#awaySinceMs ??= this.#options.clock.nowMs();
      // Nothing else may change while the service is away, and the icon has to.
      this.#longAway ??= this.#options.clock.after(OFFLINE_AFTER_MS, this.#drawAgain);
    }
    this.#draw();
  }

  stop(): void {
    this.#longAway?.cancel();
    nativeTheme.off('updated', this.#drawAgain);
    this.#tray.destroy();
  }

  #draw(): void {
    if (this.#overview === null) return;
    const { clock, osName, acts } = this.#options;
    const nowMs = clock.nowMs();
    const view = trayView(this.#overview, {
      nowMs,
      awaySinceMs: this.#awaySinceMs,
      clock: clockWords(app.getLocale(), nowMs),
    });
    const held = this.#overview.held.length;
    // A menu that is rebuilt closes where it is open, so it is left alone while it would say the same.
    const drawn = JSON.stringify([view, this.#shade()]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#tray.setImage(this.#image(view.state));
    this.#tray.setToolTip(view.words);
    if (osName === 'darwin') this.#tray.setTitle(held > 0 ? String(held) : '');
    this.#tray.setContextMenu(Menu.buildFromTemplate(trayMenu(view, acts)));
  }

  #shade(): ReturnType<typeof trayShade> {
    const { osName, desktop } = this.#options;
    return trayShade(osName, desktop, nativeTheme.shouldUseDarkColors);
  }

  #image(state: TrayState): NativeImage {
    return nativeImage.createFromPath(
      join(this.#options.icons, trayIconFile(state, this.#shade())),
    );
  }
}
