/** `preloop-host open`: a new sign-in address of the page, opened where there is a desktop. */
import { hasDesktop, openPage } from '../open-page.ts';
import type { Verb } from './command-context.ts';
import { EXIT } from './exit-codes.ts';

export const open: Verb = async ({ client, flags, print, dataDir, environment, osName }) => {
  const { url } = await client.request('page.address', {});
  if (flags.json) print(JSON.stringify({ url }));
  else if (
    !flags.print &&
    hasDesktop(osName, environment) &&
    (await openPage(url, dataDir, osName))
  )
    print(`Opened ${new URL(url).origin} in the browser`);
  else print(`${url} (good once, for a minute)`);
  return EXIT.done;
};
