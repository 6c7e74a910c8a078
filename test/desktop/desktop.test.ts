/** The stories of the desktop app, on its built bundle over the Electron double. */
import { startOnDouble } from '../support/desktop-on-double.ts';
import { tellStories } from './stories.ts';

tellStories(startOnDouble);
