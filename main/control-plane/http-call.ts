/** One HTTP request to the service over its route. Bounded in time and in the size of the answer. */
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { NetworkError } from '../../runner-core/model/network-problem.ts';
import type { ServiceRoute } from './service-route.ts';

const MAX_ANSWER_BYTES = 4 * 2 ** 20;

export interface HttpCall {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** '' for none. */
  readonly body: string;
  readonly timeoutMs: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** Redirects are answers like others: the token must not follow them. Rejects with a NetworkError only. */
export async function callService(route: ServiceRoute, call: HttpCall): Promise<HttpAnswer> {
  const dial = route.dial(call.url);
  const send = call.url.protocol === 'https:' ? secureRequest : plainRequest;
  const answer = new Promise<HttpAnswer>((resolve, reject) => {
    const request = send(call.url, {
      method: call.method,
      headers: call.headers,
      agent: false,
      ...dial.options,
    });
    const timer = route.clock.after(call.timeoutMs, () => {
      reject(new NetworkError(dial.timedOut()));
      request.destroy();
    });
    const fail = (error: unknown): void => {
      timer.cancel();
      reject(error instanceof NetworkError ? error : new NetworkError(dial.problem(error)));
    };
    dial.follow(request, () => undefined);
    request.on('error', fail);
    request.on('response', (response) => {
      const refused = dial.answered(response.headers);
      if (refused !== null) {
        fail(new NetworkError(refused));
        request.destroy();
        return;
      }
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes <= MAX_ANSWER_BYTES) parts.push(part);
        else request.destroy();
      });
      response.on('error', fail);
      response.on('end', () => {
        timer.cancel();
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(parts).toString('utf8'),
        });
      });
    });
    request.end(call.body);
  });
  return answer.finally(() => dial.giveUp());
}
