/** Runs something that needs an engine and the test image, and puts away what was started for it. */
import { ensureEngine, type EngineInUse } from './ensure-engine.ts';
import { ensureTestImage } from './ensure-test-image.ts';

/**
 * @param standIn see `ensureTestImage`
 * @param use gives back the exit code
 * @throws SetupError when there is no engine or no image
 */
export async function withEngine(
  standIn: string | null,
  use: (engine: EngineInUse) => Promise<number>,
): Promise<number> {
  // Ctrl-C ends what runs in the foreground; this process stays until all is put away.
  let interrupted = false;
  const note = (): void => void (interrupted = true);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, note);
  try {
    const engine = await ensureEngine();
    try {
      await ensureTestImage(engine.address, standIn);
      return isSet(interrupted) ? 130 : await use(engine);
    } finally {
      await engine.release();
    }
  } finally {
    for (const signal of signals) process.off(signal, note);
  }
}

/** Keeps the compiler from taking a flag that a signal sets for a constant. */
function isSet(flag: boolean): boolean {
  return flag;
}
