/** Payloads of result lines, as a container's bootstrap prints them. */

/** What follows the prefix on a result line that carries `envelope`. */
export function envelopePayload(envelope: unknown): string {
  const text = typeof envelope === 'string' ? envelope : JSON.stringify(envelope);
  return Buffer.from(text, 'utf8').toString('base64');
}
