import { expect, test } from 'vitest';
import { parseServerFrame } from '../../../runner-core/wire/frames.ts';
import { haltsOf, jobsOf, parseJob } from '../../../runner-core/wire/job-payload.ts';
import { SERVER_URL } from '../../support/docker-job.ts';
import { hostileFrameText, seededDraw } from '../../support/hostile-frames.ts';

/** FUZZ_SEED tries others. */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_130);
const FRAMES = 10_000;
/** Takes 2 s alone; a busy machine needs longer. */
const LIMIT_MS = 60_000;
const NAMING_CODES: readonly string[] = ['bad_payload', 'launch_invalid', 'options_invalid'];

test(
  `no frame makes a reader throw, and every failure names its field (seed ${seed})`,
  () => {
    const seen = new Map<string, number>();
    const draw = seededDraw(seed);
    for (let frame = 0; frame < FRAMES; frame++) {
      const text = hostileFrameText(draw);
      const complaint = complaintAbout(text, (kind) => seen.set(kind, (seen.get(kind) ?? 0) + 1));
      if (complaint !== undefined)
        expect.unreachable(`frame ${frame}, ${complaint}: ${text.slice(0, 2_000)}`);
    }
    // The generator must reach every answer, or the test proves nothing.
    for (const kind of ['malformed', 'unknown_type', 'docker', 'repeat', 'refused', 'unreadable'])
      expect(seen.get(kind), kind).toBeGreaterThan(100);
  },
  LIMIT_MS,
);

/** What is wrong with how one frame was read; undefined when nothing is. */
function complaintAbout(text: string, count: (kind: string) => void): string | undefined {
  try {
    const parsed = parseServerFrame(text);
    if (!parsed.ok) {
      count(parsed.kind);
      // Only a frame that is no object as a whole has no field to name.
      const whole = ['not JSON', 'not an object'].includes(parsed.problem);
      return parsed.problem !== '' && (parsed.field !== '' || whole) ? undefined : 'unnamed field';
    }
    const halts = haltsOf(parsed.frame);
    if (halts !== null && halts.all !== (halts.ids.length === 0)) return 'halt of all with ids';
    for (const raw of jobsOf(parsed.frame)) {
      const complaint = complaintAboutJob(raw, count);
      if (complaint !== undefined) return complaint;
    }
    return undefined;
  } catch (error) {
    return `thrown: ${String(error)}`;
  }
}

function complaintAboutJob(raw: unknown, count: (kind: string) => void): string | undefined {
  const parsed = parseJob(raw, SERVER_URL);
  count(parsed.kind);
  JSON.stringify(parsed);
  switch (parsed.kind) {
    case 'unreadable':
      return parsed.field === '' && parsed.problem !== 'is not an object' ? 'unnamed' : undefined;
    case 'refused': {
      const { code, facts } = parsed.reason;
      if (parsed.error === '') return 'refused without words';
      return NAMING_CODES.includes(code) && (facts['field'] ?? '') === '' ? 'unnamed' : undefined;
    }
    case 'docker': {
      const values = Object.values(parsed.secrets.environment);
      if (values.some((value) => value.includes('\0'))) return 'NUL in the environment';
      return parsed.spec.image.trim() === '' ? 'no image' : undefined;
    }
    case 'repeat':
      return undefined;
  }
}
