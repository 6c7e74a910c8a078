/**
 * Reads the result report of a job: the base64 envelope its bootstrap prints, and the vocabulary
 * that says whether the report confirms success. What it means for the job is in `result-report.ts`.
 */
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { EvidenceUpload } from '../model/outcome.ts';
import { asciiJsonBytes, nestsDeeperThan } from './json-measure.ts';
import { decodeBase64, decodeUtf8 } from './text-bytes.ts';

/** A larger result is dropped by the service, whatever the status. As `asciiJsonBytes` measures. */
export const RESULT_LIMIT_BYTES = 262_144;
const ENVELOPE_LIMIT_BYTES = RESULT_LIMIT_BYTES + 1_024;
const BASE64_LIMIT_CHARS = 2 * ENVELOPE_LIMIT_BYTES;
/** A caller keeps the payloads of this many envelope lines and only counts the rest. */
export const KEPT_ENVELOPES = 2;

export type Confirmation = 'success' | 'failure';
export type ReportProblem =
  'absent' | 'duplicate' | 'malformed' | 'too_large' | 'exit_mismatch' | 'unknown_verdict';

/**
 * `exitCode` is the script's, as the envelope tells it, also where there was no result. `problem`
 * null: the report counts, and `confirmation` is its answer.
 */
export interface ReportReading {
  readonly result: JsonObject | null;
  readonly exitCode: number | null;
  readonly evidenceUpload: EvidenceUpload | null;
  readonly confirmation: Confirmation | null;
  readonly problem: ReportProblem | null;
}

const CONFIRMED_BY_STATUS: ReadonlyMap<string, Confirmation> = new Map([
  ...['success', 'succeeded', 'pass', 'passed', 'fail'].map((word) => [word, 'success'] as const),
  ...['failure', 'failed', 'error'].map((word) => [word, 'failure'] as const),
]);
const CONFIRMED_BY_VERDICT: ReadonlyMap<string, Confirmation> = new Map([
  ...['pass', 'passed', 'pass_with_findings', 'fail'].map((word) => [word, 'success'] as const),
  ['error', 'failure'],
]);

/** What a result says of its run: a known `status` decides, else a known `verdict`, else nothing. */
export function confirmation(result: unknown): Confirmation | null {
  if (!isJsonObject(result)) return null;
  return (
    CONFIRMED_BY_STATUS.get(normalise(result['status'])) ??
    CONFIRMED_BY_VERDICT.get(normalise(result['verdict'])) ??
    null
  );
}

/**
 * The one report of a job.
 *
 * @param payloads what followed the prefix on the first KEPT_ENVELOPES envelope lines
 * @param count envelope lines seen in all; two or more spoil the report, even when identical
 */
export function parseEnvelopes(payloads: readonly string[], count: number): ReportReading {
  let reading = NOTHING_READ;
  for (const payload of payloads) {
    const next = readEnvelope(payload);
    // Evidence is that of the last envelope that could be decoded at all.
    reading = next.decoded ? next : { ...next, evidenceUpload: reading.evidenceUpload };
  }
  const { result, exitCode, evidenceUpload } = reading;
  const without = { result: null, exitCode, evidenceUpload, confirmation: null };
  if (count === 0) return { ...without, problem: 'absent' };
  if (count > 1) return { ...without, problem: 'duplicate' };
  if (result === null) return { ...without, problem: reading.problem };
  const confirmed = confirmation(result);
  const whole = { result, exitCode, evidenceUpload, confirmation: confirmed };
  if (exitCode !== 0) return { ...whole, problem: 'exit_mismatch' };
  return { ...whole, problem: confirmed === null ? 'unknown_verdict' : null };
}

interface EnvelopeReading {
  readonly decoded: boolean;
  readonly result: JsonObject | null;
  readonly exitCode: number | null;
  readonly evidenceUpload: EvidenceUpload | null;
  readonly problem: ReportProblem;
}
const NOTHING_READ: EnvelopeReading = {
  decoded: false,
  result: null,
  exitCode: null,
  evidenceUpload: null,
  problem: 'malformed',
};

function readEnvelope(payload: string): EnvelopeReading {
  const text = payload.trimEnd();
  if (text.length > BASE64_LIMIT_CHARS) return { ...NOTHING_READ, problem: 'too_large' };
  const bytes = decodeBase64(text);
  if (bytes === undefined) return NOTHING_READ;
  if (bytes.length > ENVELOPE_LIMIT_BYTES) return { ...NOTHING_READ, problem: 'too_large' };
  const envelope = envelopeOf(decodeUtf8(bytes));
  if (envelope === undefined) return NOTHING_READ;
  const { exitCode, evidenceUpload, result } = envelope;
  const rest = { decoded: true, exitCode, evidenceUpload };
  if (result === undefined || result === null) return { ...rest, result: null, problem: 'absent' };
  if (exitCode === null || !isJsonObject(result) || nestsDeeperThan(result))
    return { ...rest, result: null, problem: 'malformed' };
  if (asciiJsonBytes(result) > RESULT_LIMIT_BYTES)
    return { ...rest, result: null, problem: 'too_large' };
  const own = Object.fromEntries(
    Object.entries(result).filter(([key]) => key !== 'evidence_upload'),
  );
  const usable = Object.keys(own).length > 0;
  return { ...rest, result: usable ? own : null, problem: 'malformed' };
}

/** The three fields of an envelope; undefined when it is no object or a field has the wrong type. */
function envelopeOf(text: string | undefined):
  | {
      readonly exitCode: number | null;
      readonly result: unknown;
      readonly evidenceUpload: EvidenceUpload | null;
    }
  | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const exitCode = value['exit_code'] ?? null;
  const evidence = value['evidence_upload'] ?? '';
  if (exitCode !== null && !(typeof exitCode === 'number' && Number.isSafeInteger(exitCode)))
    return undefined;
  if (typeof evidence !== 'string') return undefined;
  return { exitCode, result: value['result'], evidenceUpload: canonicalEvidence(evidence) };
}

function canonicalEvidence(text: string): EvidenceUpload | null {
  const word = normalise(text);
  if (word === '') return null;
  return word === 'uploaded' || word === 'absent' ? word : 'failed';
}

function normalise(value: unknown): string {
  return typeof value === 'string' ? value.trim().toLowerCase() : '';
}
