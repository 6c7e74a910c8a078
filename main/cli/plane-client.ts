/** The embedded plane's REST routes that the command line uses, with the owner's token from its file. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { PLANE_FILES } from '../embedded-plane.ts';
import { fieldProblem } from './field-problem.ts';

const executionSchema = z.object({
  id: z.string(),
  status: z.string(),
  flow_id: z.string().nullish(),
  error_message: z.string().nullish(),
  result: z.unknown().optional(),
  log_line_count: z.number().int().optional(),
  /** An instant as ISO 8601 has it. */
  stop_requested_at: z.string().nullish(),
});
export type PlaneExecution = z.infer<typeof executionSchema>;

const logsSchema = z.object({
  lines: z.array(z.object({ seq: z.number().int(), line: z.string() })),
  next_after_seq: z.number().int().nullish(),
});
const problemSchema = z.object({
  detail: z.union([
    z.string(),
    z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })),
  ]),
});

/** A request the plane did not take; the message names the field and what is wrong with it. */
export class PlaneRequestError extends Error {
  readonly code = 'plane_request_failed';
}

export class PlaneClient {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** The plane of the host that uses `planeDir`. Throws PlaneRequestError when none was started there. */
  static async of(planeDir: string): Promise<PlaneClient> {
    const [url, token] = await Promise.all(
      [PLANE_FILES.address, PLANE_FILES.token].map((name) =>
        readFile(join(planeDir, name), 'utf8').catch(() => null),
      ),
    );
    if (url === null || url === undefined || token === null || token === undefined) {
      throw new PlaneRequestError(
        `No host was started with the data folder ${dirname(planeDir)}. Run \`npm start\` first, or name its folder with --data-dir.`,
      );
    }
    return new PlaneClient(url.trim(), token.trim());
  }

  async submit(definition: unknown): Promise<PlaneExecution> {
    return executionSchema.parse(await this.#call('POST', '/api/v1/flows/executions', definition));
  }

  async execution(id: string): Promise<PlaneExecution> {
    return executionSchema.parse(
      await this.#call('GET', `/api/v1/flows/executions/${encodeURIComponent(id)}`),
    );
  }

  /** Lines with a number above `afterSeq`, oldest first, and the number of the last of them. */
  async logs(
    id: string,
    afterSeq: number,
  ): Promise<{ readonly lines: readonly string[]; readonly lastSeq: number }> {
    const path = `/api/v1/flows/executions/${encodeURIComponent(id)}/logs?after_seq=${afterSeq}&limit=1000`;
    const { lines } = logsSchema.parse(await this.#call('GET', path));
    return { lines: lines.map(({ line }) => line), lastSeq: lines.at(-1)?.seq ?? afterSeq };
  }

  async stop(id: string): Promise<void> {
    await this.#call('POST', `/api/v1/flows/executions/${encodeURIComponent(id)}/command`, {
      command: 'stop',
    });
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    let response: Response;
    try {
      response = await fetch(`${this.#url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json' },
        ...sent,
        signal: AbortSignal.timeout(30_000),
      });
    } catch {
      throw new PlaneRequestError(
        `The host is not running: nothing answers at ${this.#url}. Start it with: npm start`,
      );
    }
    const value: unknown = await response.json().catch(() => null);
    if (response.ok) return value;
    const problem = problemSchema.safeParse(value);
    if (!problem.success)
      throw new PlaneRequestError(
        `The embedded plane could not take the request (HTTP ${response.status}). Its reason is in the host's log, diagnostics/host.log.`,
      );
    const { detail } = problem.data;
    const words =
      typeof detail === 'string'
        ? detail
        : detail.map(({ loc, msg }) => fieldProblem(loc, msg)).join('; ');
    throw new PlaneRequestError(words);
  }
}
