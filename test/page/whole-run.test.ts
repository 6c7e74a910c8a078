/** The built product, a real engine and a real browser: what a person does with the page, with a pointer. */
import { pointer } from '../support/hand.ts';
import { tellMainPath } from '../support/main-path.ts';

tellMainPath(pointer);
