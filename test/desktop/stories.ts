/**
 * What a person does with the desktop app, told once and played on whatever `start` starts: the double in
 * `npm test`, Electron itself in `npm run test:electron`.
 */
import type { StartDesktop } from '../support/desktop.ts';
import { desktopStand } from '../support/desktop-stand.ts';
import { tellHostStories } from './host-stories.ts';
import { tellWindowStories } from './window-stories.ts';

export function tellStories(start: StartDesktop): void {
  const stand = desktopStand(start);
  tellHostStories(stand);
  tellWindowStories(stand);
}
