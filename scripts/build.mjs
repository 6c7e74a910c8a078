// @ts-check
/** `npm run build [-- NAME…]`: builds the named programs, and the page, into out/; without a name all. */
import { PAGE, buildPage } from './setup/build-page.mjs';
import { ENTRIES, bundlePrograms } from './setup/bundle.mjs';
import { ensureDependencies } from './setup/ensure-dependencies.mjs';
import { runEntry, say } from './setup/say.mjs';

await runEntry(async () => {
  await ensureDependencies();
  const given = process.argv.slice(2);
  const names = given.length === 0 ? [...ENTRIES.map((entry) => entry.name), PAGE] : given;
  await bundlePrograms(names.filter((name) => name !== PAGE));
  if (names.includes(PAGE)) await buildPage();
  say(`Built ${names.join(', ')}.`);
  return 0;
});
