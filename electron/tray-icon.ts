/** Which file shows a state. Pure. */
import type { TrayState } from './tray-view.ts';

/** `template`: black, inverted by macOS itself. `light` is for a dark bar, `dark` for a light one. */
export type TrayShade = 'template' | 'light' | 'dark';

/** Their bar is dark whatever the theme. */
const DARK_BARS = ['gnome', 'unity', 'ubuntu', 'pop'];

/** @param desktop XDG_CURRENT_DESKTOP, for example `ubuntu:GNOME` */
export function trayShade(
  osName: NodeJS.Platform,
  desktop: string | undefined,
  isDarkTheme: boolean,
): TrayShade {
  if (osName === 'darwin') return 'template';
  const names = (desktop ?? '').toLowerCase().split(':');
  const isDarkBar = osName === 'linux' && names.some((name) => DARK_BARS.includes(name));
  return isDarkBar || isDarkTheme ? 'light' : 'dark';
}

/** Beside each lies the same at `@2x`; macOS knows a template image by its name. */
export function trayIconFile(state: TrayState, shade: TrayShade): string {
  return shade === 'template' ? `tray-${state}Template.png` : `tray-${state}-${shade}.png`;
}
