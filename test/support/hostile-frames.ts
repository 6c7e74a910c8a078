/** Frames nobody should send, made from good ones by a seeded generator; the same seed, the same frames. */
import { dockerJob } from './docker-job.ts';

/** Values that readers trip over, among them names that objects have of their own. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  '',
  ' ',
  '\0',
  '\ud800',
  '../../etc',
  '__proto__',
  'x'.repeat(3_000),
  [],
  {},
  [null],
  [[[7]]],
  { toString: 1, length: -1 },
  { execution_id: {} },
  JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`),
  JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":1}}'),
];
const TYPES = ['hello', 'ack', 'job', 'halt', 'logs_ack', 'error', 'session_start'] as const;

/** Draws whole numbers in [0, below). Source: T. Ettinger, the generator called mulberry32. */
export type Draw = (below: number) => number;

export function seededDraw(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The text of one frame: mostly JSON with a few odd values in it, now and then damaged as text. */
export function hostileFrameText(draw: Draw): string {
  const frame = mutate(plausibleFrame(draw), draw, draw(4));
  const text = JSON.stringify(frame);
  if (draw(8) > 0) return text;
  const at = draw(text.length);
  return text.slice(0, at) + '{["x\\'.slice(0, draw(5)) + text.slice(at + 1);
}

function plausibleFrame(draw: Draw): unknown {
  const id = (): string => `5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c${String(10 + draw(90))}`;
  const job = (): unknown =>
    mutate(
      dockerJob({
        execution_id: id(),
        prompt: 'do it',
        resume_from: id(),
        agent_config: {
          image: 'debian:bookworm',
          docker_image: 'b',
          runner: {
            mount_docker_socket: true,
            persist_workspace: draw(2) === 0,
            network: 'n',
            extra_mounts: ['/a:/b', '/c:/d:ro'],
            preserve_image_entrypoint: false,
          },
        },
        git_clone_config: { a: [1] },
        launch: draw(3) === 0 ? null : { version: 1, script: 'true', env: { FOO: '1', B_: '2' } },
        ...(draw(8) === 0 ? { host_exec_profile: 'p' } : {}),
        ...(draw(8) === 0 ? { publication: { version: 1 } } : {}),
      }),
      draw,
      draw(3),
    );
  return {
    type: TYPES[draw(TYPES.length)],
    runner_id: id(),
    concurrency: 2,
    job: job(),
    jobs: Array.from({ length: draw(3) }, job),
    halt: draw(2) === 0,
    halt_execution_id: id(),
    halt_execution_ids: [id()],
    execution_id: id(),
    batch_id: id(),
    error: 'gone',
  };
}

/** `value` with `times` places in it replaced, removed, or added under an odd name. */
function mutate(value: unknown, draw: Draw, times: number): unknown {
  let changed = value;
  for (let time = 0; time < times; time++) changed = mutateOnce(changed, draw);
  return changed;
}

function mutateOnce(value: unknown, draw: Draw): unknown {
  const odd = ODD_VALUES[draw(ODD_VALUES.length)];
  if (typeof value !== 'object' || value === null) return odd;
  const entries = Object.entries(value);
  const place = draw(entries.length + 1);
  const chosen = entries[place];
  if (chosen === undefined)
    return Array.isArray(value)
      ? [...(value as readonly unknown[]), odd]
      : { ...value, 'a b': odd };
  const [key, inner] = chosen as [string, unknown];
  // Descending more often than replacing reaches the deep fields.
  const next = draw(5) === 0 ? odd : draw(6) === 0 ? undefined : mutateOnce(inner, draw);
  if (Array.isArray(value)) return value.with(Number(key), next ?? null);
  return { ...value, [key]: next };
}
