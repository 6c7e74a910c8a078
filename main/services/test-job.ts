/**
 * The test job a newcomer runs first: which image it runs in, and what it does. Owns the choice; the image that is
 * there already wins, so that nothing has to be fetched.
 */
import type { OverviewView } from '../contract/views.ts';
import type { DockerEngine } from '../../runner-core/docker/docker-engine.ts';
import type { Log } from '../../runner-core/ports.ts';

/** Has bash and python3, and is small. */
export const DEFAULT_TEST_IMAGE = 'python:3-slim-bookworm';
/** About what its layers have, packed, on amd64. */
const DEFAULT_PULL_BYTES = 45_000_000;
/** Made from nothing by this project's own scripts. */
const LOCAL_TEST_IMAGE = 'preloop-runner-host-test:bookworm';

export type TestImage = NonNullable<OverviewView['testJob']>;

export interface TestJobDeps {
  readonly log: Log;
  /** The image named in settings.yaml, or null. */
  readonly configured: () => string | null;
  /** Opens the engine in use; null where there is none. The caller of it closes it. */
  readonly engine: () => DockerEngine | null;
  readonly changed: () => void;
}

export class TestJob {
  readonly #deps: TestJobDeps;
  #image: TestImage;

  constructor(deps: TestJobDeps) {
    this.#deps = deps;
    this.#image = toBePulled(deps.configured() ?? DEFAULT_TEST_IMAGE);
  }

  /** As it was last looked at. */
  get image(): TestImage {
    return this.#image;
  }

  /** Looks which images are there now. Never rejects. */
  async look(): Promise<TestImage> {
    const { log, configured, engine: open, changed } = this.#deps;
    const named = configured();
    const wanted = named === null ? [DEFAULT_TEST_IMAGE, LOCAL_TEST_IMAGE] : [named];
    const engine = open();
    let found = toBePulled(named ?? DEFAULT_TEST_IMAGE);
    try {
      for (const image of engine === null ? [] : wanted)
        if (!found.local && (await engine?.image(image)) !== undefined)
          found = { image, local: true, pullBytes: null };
    } catch (error) {
      log.debug('test image not looked at', { error });
    } finally {
      engine?.close();
    }
    const differs = JSON.stringify(found) !== JSON.stringify(this.#image);
    this.#image = found;
    if (differs) changed();
    return found;
  }
}

function toBePulled(image: string): TestImage {
  return {
    image,
    local: false,
    pullBytes: image === DEFAULT_TEST_IMAGE ? DEFAULT_PULL_BYTES : null,
  };
}

/** As the embedded plane takes it. */
export function testJobDefinition(image: string): Readonly<Record<string, unknown>> {
  return { name: 'Test job', agent_type: 'codex', image, script: SCRIPT };
}

/** Long enough to be watched, short enough not to be waited for. */
const SCRIPT = String.raw`
say() { printf '%b\n' "$1"; sleep 0.4; }
say '\033[1mHello from a container.\033[0m'
say "It runs as $(id -un) on $(uname -sm), with $(python3 --version 2>&1)."
say '\033[2mCounting some words, to have done something:\033[0m'
for place in 1 2 3 4 5 6 7 8; do
  say "  \033[36mpart $place of 8\033[0m  $(python3 -c "print(sum(i * i for i in range($place * 100000)))")"
done
say 'A line on standard error looks like this:'
echo 'nothing is wrong, this is only an example' >&2
say '\033[32mDone.\033[0m The job now hands over its result.'
echo '{"status": "success", "summary": "The test job ran to its end."}' > /workspace/result.json
`;
