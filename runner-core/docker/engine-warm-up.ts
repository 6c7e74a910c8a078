/**
 * Makes the first real call to an engine as quick as the second: Node loads and compiles its HTTP client
 * on first use, 30 to 100 ms of it. Works in memory, without a socket.
 */
import { Agent } from 'node:http';
import { Duplex } from 'node:stream';
import type { Clock } from '../ports.ts';
import { DockerodeEngine } from './dockerode-engine.ts';
import { EngineCaller } from './engine-calls.ts';

const ANSWER = '{"Id":"0"}';
const RESPONSE = `HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: ${ANSWER.length}\r\n\r\n${ANSWER}`;

/** Twice through create, the longest of the calls before a container starts. Never rejects. */
export async function warmUpEngineCalls(clock: Clock): Promise<void> {
  const agent = new Agent();
  agent.createConnection = () => new AnsweringConnection();
  const engine = new DockerodeEngine(
    new EngineCaller({ kind: 'socket', path: 'in memory' }, clock, agent),
  );
  try {
    for (let call = 0; call < 2; call++)
      await engine.createContainer('warm-up', {
        Image: '',
        Cmd: [],
        Env: [],
        Labels: {},
        HostConfig: {},
      });
  } catch {
    // A slower first call is all that is lost.
  } finally {
    engine.close();
  }
}

/** Answers every request with the same few bytes. */
class AnsweringConnection extends Duplex {
  override _read(): void {
    // Answers come from _write.
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
    // Head and body may come in one piece or two; the body is JSON.
    if (bytes.toString().endsWith('}')) this.push(RESPONSE);
  }
}
