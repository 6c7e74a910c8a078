// @ts-check
/** `npm run build [-- NAME…]`: bundles the named programs into out/, without a name all of them. */
import { ENTRIES, bundlePrograms } from './setup/bundle.mjs';
import { ensureDependencies } from './setup/ensure-dependencies.mjs';
import { runEntry, say } from './setup/say.mjs';

await runEntry(async () => {
  await ensureDependencies();
  const given = process.argv.slice(2);
  const names = given.length === 0 ? ENTRIES.map((entry) => entry.name) : given;
  await bundlePrograms(names);
  say(`Built ${names.join(', ')}.`);
  return 0;
});
