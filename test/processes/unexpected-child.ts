/** A host that meets a failure nobody expected, from its power port, as soon as somebody asks to pause on battery. */
import { systemClock } from '../../runner-core/system.ts';
import { watchUnexpected } from '../../main/watch-unexpected.ts';
import { startHost } from '../support/host-under-test.ts';

const [dataDir, kind] = process.argv.slice(2);
if (dataDir === undefined) throw new Error('usage: unexpected-child <data folder> <kind>');

let secret = '';
const under = await startHost({
  dataDir,
  environment: { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' },
  power: {
    read() {
      const error = new Error(`the power port broke near ${secret}`);
      if (kind === 'rejection') void Promise.reject(error);
      else
        setImmediate(() => {
          throw error;
        });
      return Promise.resolve('plugged_in');
    },
  },
});
const { host } = under;
watchUnexpected(process, host, systemClock, () => process.exit(1));
secret = (await host.plane?.ownerToken()) ?? '';
process.on('message', (order) => {
  if (order === 'fail') host.pause({ onBattery: true });
  else void host.stop('stop').then(() => process.exit(0));
});
host.watch(({ kind: changed }) => {
  if (changed === 'choice') process.send?.(host.overview().pause);
});
process.send?.(secret);
