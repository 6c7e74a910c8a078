/**
 * The image that tests, demo and benchmarks run their jobs in. Made of Debian packages without any
 * registry where that is possible; elsewhere an image of the person's choice takes its name.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dockerEngine } from '../../runner-core/docker/dockerode-engine.ts';
import type { EngineAddress } from '../../runner-core/worker/protocol.ts';
import { installPackages, isOnPath, quietly, thisMachine } from './debian.ts';
import { postToEngine } from './engine-request.ts';
import { cacheDir } from './places.mjs';
import { SetupError, say } from './say.mjs';

const REPOSITORY = 'preloop-runner-host-test';
const TAG = 'bookworm';
export const TEST_IMAGE = `${REPOSITORY}:${TAG}`;

const PACKAGES = 'bash,git,python3,ca-certificates';
const STAND_IN = 'python:3-bookworm';

/**
 * @param standIn name of an image to use in its place, already in the engine; null for our own
 * @throws SetupError when the image is neither there nor can be made
 */
export async function ensureTestImage(
  address: EngineAddress,
  standIn: string | null,
): Promise<void> {
  if (standIn !== null) return useStandIn(address, standIn);
  const engine = dockerEngine(address);
  try {
    if ((await engine.image(TEST_IMAGE)) !== undefined) return;
  } finally {
    engine.close();
  }
  const archive = join(cacheDir(process.env), 'test-image-bookworm.tar');
  if (!existsSync(archive)) await makeArchive(archive);
  say(`Importing the test image ${TEST_IMAGE}…`);
  const query = new URLSearchParams({ fromSrc: '-', repo: REPOSITORY, tag: TAG }).toString();
  const answer = await postToEngine(address, `/images/create?${query}`, archive);
  if (answer.status === 200 && !answer.text.includes('"error"')) return;
  throw new SetupError(
    `The engine refused the test image: ${answer.text.trim().slice(0, 500)}`,
    `delete ${archive} and run the same command again.`,
  );
}

async function makeArchive(archive: string): Promise<void> {
  const machine = thisMachine();
  if (!isOnPath('mmdebstrap')) {
    if (!machine.debianLike || !machine.root) throw cannotMake(machine.debianLike);
    await installPackages('mmdebstrap', 'debian-archive-keyring', 'ca-certificates');
  }
  say('Making the test image of Debian packages (mmdebstrap), once: one to two minutes…');
  await mkdir(cacheDir(process.env), { recursive: true });
  const unfinished = `${archive}.part.tar`;
  await rm(unfinished, { force: true });
  const args = ['--variant=minbase', `--include=${PACKAGES}`, 'bookworm', unfinished];
  await quietly('mmdebstrap', args);
  await rename(unfinished, archive);
}

function cannotMake(debianLike: boolean): SetupError {
  const ours = debianLike ? 'install mmdebstrap (sudo apt-get install mmdebstrap), or ' : '';
  return new SetupError(
    `The test image ${TEST_IMAGE} is missing, and only Debian as root can make it by itself.`,
    `${ours}fetch an image with bash, git and python3 and name it: ` +
      `docker pull ${STAND_IN}, then the same command with -- --image ${STAND_IN}`,
  );
}

async function useStandIn(address: EngineAddress, name: string): Promise<void> {
  const query = new URLSearchParams({ repo: REPOSITORY, tag: TAG }).toString();
  const answer = await postToEngine(address, `/images/${encodeURI(name)}/tag?${query}`, null);
  if (answer.status === 201) {
    say(`Using ${name} as the test image ${TEST_IMAGE}.`);
    return;
  }
  throw new SetupError(
    `The engine cannot use ${name} as the test image (${answer.status}): ${answer.text.trim()}`,
    `fetch it first: docker pull ${name}`,
  );
}
