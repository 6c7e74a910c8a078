/**
 * Schemas on this page are checked without generated code: the page's policy forbids `eval`, and even
 * asking whether it is there is reported as a violation. Imported before any schema is made.
 */
import { config } from 'zod';

config({ jitless: true });
