import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { composeProjectName } from '../../runner-core/wire/launch.ts';
import {
  containerOf,
  docker,
  DockerBench,
  newJobId,
  ownImage,
  ownName,
  TEST_IMAGE,
  type TestJob,
} from '../support/docker-bench.ts';
import { tempDir } from '../support/temp-dir.ts';

const SUCCESS = `echo '{"status":"success"}' > /workspace/result.json`;

test('a job that reports success succeeds, its output and secrets handled', async () => {
  const worker = new DockerBench().run({
    script: `echo "token $MY_TOKEN"; echo warned >&2; printf 'no line break'; ${SUCCESS}`,
    env: { MY_TOKEN: 'token_not_real_1' },
  });
  const { verdict, facts } = await worker.ended();
  expect(verdict).toEqual({
    outcome: 'succeeded',
    status: 'SUCCEEDED',
    exitCode: 0,
    error: '',
    result: { status: 'success' },
    evidenceUpload: null,
    reason: null,
  });
  expect(facts).toMatchObject({
    containerId: (await containerOf(worker)).id,
    imageId: await docker('image', 'inspect', '--format', '{{.Id}}', TEST_IMAGE),
    oomKilled: false,
    exitCode: 0,
  });
  expect(worker.lines().sort()).toEqual(['no line break', 'token ***', 'warned']);
  expect(await worker.exited).toEqual({ code: 0, signal: null });
});

const MISSING_MOUNT = ['/etc/hostname:/etc'];
const endings: readonly (readonly [string, TestJob, object])[] = [
  ['a script that fails', { script: 'exit 3' }, { exitCode: 3, reason: { code: 'exit_nonzero' } }],
  [
    'a script that calls a command that is not there',
    { script: 'no-such-command' },
    { exitCode: 127, reason: { code: 'command_not_found' } },
  ],
  [
    'a script that calls what is no program',
    { script: '/etc/hostname' },
    { exitCode: 126, reason: { code: 'not_executable' } },
  ],
  [
    'a script without a report',
    { script: 'echo done' },
    { status: 'FAILED', exitCode: 1, result: null },
  ],
  [
    'a report of failure',
    { script: `echo '{"status":"failed","why":"tests"}' > result.json` },
    {
      exitCode: 0,
      error: '',
      result: { status: 'failed', why: 'tests' },
      reason: { code: 'reported_failure' },
    },
  ],
  [
    'a report without a verdict',
    { script: `echo '{"status":"partial"}' > result.json` },
    { exitCode: 0, reason: { code: 'report_unknown_verdict' } },
  ],
  [
    'a report that is no JSON',
    { script: 'echo nonsense > result.json' },
    { status: 'FAILED', exitCode: 1, result: null },
  ],
  [
    'a report that is too large',
    {
      script: `python3 -c 'print("{\\"status\\":\\"success\\",\\"x\\":\\"" + "x" * 262144 + "\\"}")' > result.json`,
    },
    { status: 'FAILED', exitCode: 1, result: null },
  ],
  [
    'a set-up that fails',
    { script: 'echo PRELOOP_SETUP_FAILED; exit 9' },
    { exitCode: 9, reason: { code: 'setup_failed' } },
  ],
  [
    'a script that needs more memory than it may have',
    {
      script: `python3 -c 'x = bytearray(300_000_000)'`,
      limits: { memoryBytes: 100_000_000 },
    },
    { exitCode: 137, reason: { code: 'out_of_memory' } },
  ],
  [
    'a mount that the engine refuses',
    {
      script: SUCCESS,
      options: { extraMounts: ['/tmp:/x', '/tmp:/x'] },
      allowed: ['host_mount'],
    },
    { exitCode: 125, reason: { code: 'create_refused' } },
  ],
  [
    'a mount that cannot be made',
    { script: SUCCESS, options: { extraMounts: MISSING_MOUNT }, allowed: ['host_mount'] },
    { exitCode: 125, reason: { code: 'start_refused' } },
  ],
  [
    'an image that nobody has',
    { script: SUCCESS, image: 'localhost:1/preloop-workertest-none:1' },
    { exitCode: 0, reason: { code: 'image_pull_failed' } },
  ],
  [
    'a job past its time limit',
    { script: 'sleep 60', limits: { timeLimitMs: 300 } },
    { status: 'FAILED', outcome: 'timed_out', reason: { code: 'time_limit' } },
  ],
];
test.for(endings)('%s fails the job and says why', async ([, job, verdict]) => {
  const ended = await new DockerBench().run(job).ended();
  expect(ended.verdict).toMatchObject({ status: 'FAILED', ...verdict });
});

const entrypoints: readonly (readonly [string, string, object])[] = [
  [
    'an entrypoint that is not there',
    '["/no/such"]',
    { exitCode: 127, reason: { code: 'command_not_found' } },
  ],
  [
    'an entrypoint that is no program',
    '["/etc/hostname"]',
    { exitCode: 126, reason: { code: 'not_executable' } },
  ],
  [
    'an entrypoint that prints a broken report',
    '["/bin/bash", "-c", "echo PRELOOP_RUNNER_RESULT_V1 %%%"]',
    { exitCode: 0, reason: { code: 'report_malformed' } },
  ],
  [
    'an entrypoint that prints a report beyond the limit',
    `["python3", "-c", "import base64, json; print('PRELOOP_RUNNER_RESULT_V1 ' + base64.b64encode(json.dumps({'exit_code': 0, 'result': {'status': 'success', 'x': 'x' * 262144}}).encode()).decode())"]`,
    { exitCode: 0, reason: { code: 'report_too_large' } },
  ],
  [
    'an entrypoint that prints nothing',
    '["/bin/true"]',
    { exitCode: 0, reason: { code: 'no_report' } },
  ],
];
test.for(entrypoints)('%s fails the job and says why', async ([, entrypoint, verdict]) => {
  const image = await ownImage('entrypoint', `ENTRYPOINT ${entrypoint}`);
  const worker = new DockerBench().run({
    script: '',
    image,
    options: { preserveEntrypoint: true },
  });
  expect((await worker.ended()).verdict).toMatchObject({ status: 'FAILED', ...verdict });
});

test('a stop reaches the script, which may end by itself', async () => {
  const worker = new DockerBench().run({
    script: `trap 'echo ending; exit 7' TERM; echo up; while :; do sleep 0.05; done`,
  });
  await worker.line('up');
  worker.send({ kind: 'stop', cause: 'service', graceMs: 10_000 });
  expect((await worker.ended()).verdict).toMatchObject({
    status: 'STOPPED',
    outcome: 'stopped',
    exitCode: 7,
    error: '',
  });
  expect(worker.lines()).toContain('ending');
});

test('a script that ignores TERM is killed after the grace, and its container is gone before the ending', async () => {
  const bench = new DockerBench();
  const worker = bench.run({ script: `trap '' TERM; echo up; sleep 60` });
  await worker.line('up');
  worker.send({ kind: 'stop', cause: 'owner', graceMs: 500 });
  expect((await worker.ended()).verdict).toMatchObject({ status: 'STOPPED', exitCode: 137 });
  expect(await bench.engine.container((await containerOf(worker)).id)).toBeUndefined();
});

test('a stop before the start leaves nothing', async () => {
  const bench = new DockerBench();
  const worker = bench.run({ script: 'echo never' }, { notes: false });
  await containerOf(worker);
  worker.send({ kind: 'stop', cause: 'owner', graceMs: 10_000 });
  expect((await worker.ended()).verdict).toMatchObject({ status: 'STOPPED', exitCode: 0 });
  expect(worker.lines()).toEqual([]);
});

test('a network is made for the job and removed with it', async () => {
  const network = ownName('net');
  const bench = new DockerBench();
  const worker = bench.run({ script: `echo up; sleep 60`, options: { network } });
  await worker.line('up');
  const [made] = await bench.engine.networksNamed(network);
  const { containers } = (await bench.engine.network(made?.id ?? '')) ?? expect.unreachable();
  expect(containers).toEqual([(await containerOf(worker)).id]);
  worker.send({ kind: 'stop', cause: 'owner', graceMs: 0 });
  await worker.ended();
  expect(await bench.engine.networksNamed(network)).toEqual([]);
});

test('two jobs that begin at once share a network, and the last one removes it', async () => {
  const network = ownName('net');
  const bench = new DockerBench();
  const [first, second] = [0, 1].map(() =>
    bench.run({ script: 'echo up; sleep 60', options: { network } }),
  );
  if (first === undefined || second === undefined) return expect.unreachable();
  await Promise.all([first.line('up'), second.line('up')]);
  first.send({ kind: 'stop', cause: 'owner', graceMs: 0 });
  await first.ended();
  expect(await bench.engine.networksNamed(network)).toHaveLength(1);
  second.send({ kind: 'stop', cause: 'owner', graceMs: 0 });
  await second.ended();
  expect(await bench.engine.networksNamed(network)).toEqual([]);
});

test('a network of somebody else is refused, and joined once it is allowed', async () => {
  const network = ownName('foreign');
  await docker('network', 'create', network);
  try {
    const bench = new DockerBench();
    const refused = await bench.run({ script: SUCCESS, options: { network } }).ended();
    expect(refused.verdict.reason).toEqual({
      code: 'permission_needed',
      facts: { option: 'network', value: network },
    });
    const job: TestJob = { script: SUCCESS, options: { network }, allowed: ['network'] };
    expect((await bench.run(job).ended()).verdict.status).toBe('SUCCEEDED');
    expect(await bench.engine.networksNamed(network)).toHaveLength(1);
  } finally {
    await docker('network', 'rm', network);
  }
});

test('no value of the environment is in any argument list', async () => {
  const secret = `secret-${randomUUID()}`;
  const worker = new DockerBench().run({
    script: `echo up; sleep 60`,
    env: { SOME_API_KEY: secret, PLAIN: `plain-${secret}` },
  });
  await worker.line('up');
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const argumentLists = await Promise.all(
    processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  expect(argumentLists.filter((list) => list.includes('sleep\0' + '60'))).toHaveLength(1);
  expect(argumentLists.filter((list) => list.includes(secret))).toEqual([]);
  worker.send({ kind: 'stop', cause: 'owner', graceMs: 0 });
  await worker.ended();
});

test('limits, isolation and labels are on the container', async () => {
  const bench = new DockerBench();
  const jobId = newJobId();
  const worker = bench.run({
    jobId,
    script: `id -u; grep NoNewPrivs /proc/self/status; grep CapBnd /proc/self/status; stat -c %a /workspace; sleep 60`,
    limits: { memoryBytes: 200_000_000, cpus: 0.5, pids: 64, logBytes: 50_000_000 },
  });
  await worker.line('1777');
  const { id, name } = await containerOf(worker);
  const [inspected] = JSON.parse(await docker('inspect', id)) as [
    { Config: { Labels: object }; HostConfig: object },
  ];
  expect(name).toMatch(new RegExp(`^preloop-${jobId}-[0-9a-f]{8}$`));
  expect(inspected.Config.Labels).toMatchObject({
    'ai.preloop.runner-host.execution': jobId,
    'ai.preloop.runner-host.runner': bench.runnerId,
    'ai.preloop.runner-host.host': 'test-host',
    'ai.preloop.runner-host.kind': 'docker_launch',
    'ai.preloop.runner-host.agent': 'codex',
  });
  expect(inspected.HostConfig).toMatchObject({
    Memory: 200_000_000,
    MemorySwap: 200_000_000,
    NanoCpus: 500_000_000,
    PidsLimit: 64,
    AutoRemove: false,
    Privileged: false,
    Init: true,
    Binds: null,
    SecurityOpt: ['no-new-privileges'],
    LogConfig: { Type: 'json-file', Config: { 'max-size': '150000000', 'max-file': '2' } },
  });
  // The default capabilities less AUDIT_WRITE, MKNOD, NET_RAW and SETPCAP.
  expect(worker.lines()).toEqual(['0', 'NoNewPrivs:\t1', 'CapBnd:\t00000000800404fb', '1777']);
  worker.send({ kind: 'stop', cause: 'owner', graceMs: 0 });
  await worker.ended();
});

test('a mount is refused until it is allowed, and then there', async () => {
  const bench = new DockerBench();
  const folder = tempDir();
  const job: TestJob = {
    script: `touch /mnt/here && ${SUCCESS}`,
    options: { extraMounts: [`${folder}:/mnt`] },
  };
  const refused = await bench.run(job).ended();
  expect(refused.verdict.reason).toEqual({
    code: 'permission_needed',
    facts: { option: 'host_mount', value: `${folder}:/mnt` },
  });
  const done = await bench.run({ ...job, allowed: ['host_mount'] }).ended();
  expect(done.verdict.status).toBe('SUCCEEDED');
  expect(await readdir(folder)).toEqual(['here']);
});

test('a kept workspace is there for the job that continues it, and nowhere else', async () => {
  const bench = new DockerBench();
  const workspacesDir = tempDir();
  const [first, second] = [newJobId(), newJobId()];
  const kept = { workspacesDir, options: { persistWorkspace: true } };
  const made = bench.run({
    ...kept,
    jobId: first,
    script: `echo half > work; echo '#!/bin/bash\necho ran' > tool; chmod +x tool; ${SUCCESS}`,
  });
  expect((await made.ended()).verdict.status).toBe('SUCCEEDED');
  const continued = bench.run({
    ...kept,
    jobId: second,
    resumeFrom: first,
    script: `cat work; ./tool; ls -A; ${SUCCESS}`,
  });
  expect((await continued.ended()).verdict.status).toBe('SUCCEEDED');
  const lines = ['half', 'ran', '.preloop-runner-lease', 'tool', 'work'];
  expect(continued.lines()).toEqual(lines);
  expect(await readdir(workspacesDir)).toEqual([second]);
  const lost = await bench.run({ ...kept, resumeFrom: first, script: SUCCESS }).ended();
  expect(lost.verdict.reason).toMatchObject({ code: 'workspace_recovery_unavailable' });
});

/** Starts a container of the job's compose project through the engine's socket, as compose would. */
const COMPOSE_UP = `python3 - <<'PY'
import http.client, json, os, socket
class Engine(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect("/var/run/docker.sock")
def post(path, body):
    engine = Engine("engine")
    engine.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = engine.getresponse()
    text = answer.read()
    assert answer.status < 300, text
    return json.loads(text) if text else None
project = os.environ["COMPOSE_PROJECT_NAME"]
labels = {"com.docker.compose.project": project}
net = post("/networks/create", {"Name": project + "_default", "Labels": labels})
post("/volumes/create", {"Name": project + "_data", "Labels": labels})
made = post("/containers/create", {
    "Image": "${TEST_IMAGE}", "Cmd": ["sleep", "300"], "Labels": labels,
    "HostConfig": {"NetworkMode": project + "_default", "Binds": [project + "_data:/data"]},
})
post("/containers/" + made["Id"] + "/start", {})
post("/networks/" + net["Id"] + "/connect", {"Container": socket.gethostname()})
print("composed")
PY
`;

test('what a job starts through an allowed socket goes with it', async () => {
  const bench = new DockerBench();
  const jobId = newJobId();
  const labels = { 'com.docker.compose.project': composeProjectName(jobId) };
  const job: TestJob = {
    jobId,
    script: `${COMPOSE_UP}\nsleep 60`,
    options: { mountDockerSocket: true },
  };
  const refused = await bench.run(job).ended();
  expect(refused.verdict.reason).toMatchObject({ facts: { option: 'docker_socket' } });

  const worker = bench.run({ ...job, allowed: ['docker_socket'] });
  await worker.line('composed');
  expect(await bench.engine.containers(labels)).toMatchObject([{ running: true }]);
  worker.send({ kind: 'stop', cause: 'owner', graceMs: 0 });
  await worker.ended();
  const [containers, networks, volumes] = await Promise.all([
    bench.engine.containers(labels),
    bench.engine.networks(labels),
    bench.engine.volumes(labels),
  ]);
  expect({ containers, networks, volumes }).toEqual({ containers: [], networks: [], volumes: [] });
});
