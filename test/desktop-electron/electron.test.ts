/** The stories of the desktop app, on Electron itself. `npm run test:electron` runs them; `npm test` does not. */
import { tellStories } from '../desktop/stories.ts';
import { startOnElectron } from '../support/desktop-on-electron.ts';

tellStories(startOnElectron);
