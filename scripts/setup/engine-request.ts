/** One call to the Engine API for what only the set-up does: importing and tagging an image. */
import { createReadStream, readFileSync } from 'node:fs';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import type { EngineAddress } from '../../runner-core/worker/protocol.ts';

export interface EngineAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * POSTs to the engine.
 *
 * @param path path and query, encoded
 * @param bodyFile streamed as the body; null for none
 * @throws whatever kept the request from an answer: no connection, an unreadable file
 */
export async function postToEngine(
  address: EngineAddress,
  path: string,
  bodyFile: string | null,
): Promise<EngineAnswer> {
  const secure = address.kind === 'tcp' && address.tlsDir !== null;
  const sent = (secure ? httpsRequest : httpRequest)({
    ...connection(address),
    method: 'POST',
    path,
  });
  const answered = new Promise<EngineAnswer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, text: body }),
        reject,
      );
    });
  });
  if (bodyFile === null) sent.end();
  else await Promise.race([pipeline(createReadStream(bodyFile), sent), answered]);
  return answered;
}

function connection(address: EngineAddress): RequestOptions & { ca?: Buffer } {
  if (address.kind === 'socket') return { socketPath: address.path };
  const { host, port, tlsDir } = address;
  if (tlsDir === null) return { host, port };
  const file = (name: string): Buffer => readFileSync(join(tlsDir, name));
  const tls = { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') };
  return { host, port, ...tls };
}
