/** How a host job is looked at: its conversation, its raw log, or both. In the address, beside the line of the log. Pure. */

export const JOB_LOOKS = ['talk', 'both', 'raw'] as const;
export type JobLook = (typeof JOB_LOOKS)[number];

/** A link to a line leads to the log; else the conversation is what is read. */
export function lookOf(parameters: string): JobLook {
  const query = new URLSearchParams(parameters);
  const look = JOB_LOOKS.find((one) => one === query.get('view'));
  return look ?? (query.has('line') ? 'raw' : 'talk');
}

export function withLook(parameters: string, look: JobLook): string {
  const query = new URLSearchParams(parameters);
  query.set('view', look);
  return query.toString();
}
