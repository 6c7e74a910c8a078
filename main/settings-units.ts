/** Amounts as people write them in settings.yaml: "4 GiB", "24h", "none". Pure. */

const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
};
const DURATION_UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Bytes of "512 MiB", "1.5GiB", "2 GB" or a plain number; undefined for anything else. */
export function bytesOf(text: string): number | undefined {
  const found = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  const unit = SIZE_UNITS[found?.[2]?.toLowerCase() ?? '?'];
  if (found?.[1] === undefined || unit === undefined) return undefined;
  const bytes = Math.round(Number(found[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Milliseconds of "24h", "90 min", "1h 30m", "2d"; undefined for anything else, a number without unit included. */
export function durationMsOf(text: string): number | undefined {
  const whole = text.trim().toLowerCase();
  if (!/^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/.test(whole)) return undefined;
  let sumMs = 0;
  for (const [, amount, unit] of whole.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unitMs = DURATION_UNITS_MS[unit ?? ''];
    if (unitMs === undefined) return undefined;
    sumMs += Number(amount) * unitMs;
  }
  return Number.isSafeInteger(Math.round(sumMs)) ? Math.round(sumMs) : undefined;
}
