/** A process that can be killed: it starts the shell line it is given in a group of its own, under a guard. */
import { startGroup } from '../../runner-core/process/process-group.ts';
import { GroupGuard } from '../../runner-core/process/group-guard.ts';

const [line = ''] = process.argv.slice(2);
const guard = new GroupGuard({ variable: 'PRELOOP_FLOW_EXECUTION_ID', value: 'nobody has this' });
const { PATH = '' } = process.env;
const group = await startGroup({
  command: '/bin/sh',
  args: ['-c', line],
  cwd: '/',
  environment: { PATH },
  isQuoted: false,
});
guard.watch(group.pid);
group.stdout.pipe(process.stdout);
