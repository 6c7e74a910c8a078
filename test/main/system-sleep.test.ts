/** What is asked of the system bus, and which of its messages count as waking. */
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemBusSocket, watchSleep } from '../../main/system-sleep.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A signal as dbus-daemon sends it: one field for its name, and a truth value. */
function signal(member: string, value: boolean, order: 'l' | 'B' = 'l'): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    if (order === 'l') bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  };
  const name = Buffer.from(member);
  const field = Buffer.concat([
    Buffer.from([3, 1, 's'.charCodeAt(0), 0]),
    ...[number(name.length), name, Buffer.alloc(1)],
  ]);
  return Buffer.concat([
    ...[Buffer.from([order.charCodeAt(0), 4, 1, 1]), number(4), number(7), number(field.length)],
    ...[field, Buffer.alloc((8 - (field.length % 8)) % 8), number(value ? 1 : 0)],
  ]);
}

let socket: string;
let server: Server;
let woke: number;
let wakes: (() => void)[];
let unwatch: () => void;
let bus: Socket;
let said: Buffer;

/** Resolves once the other side has said so much. */
async function heard(words: string): Promise<void> {
  while (!said.includes(words)) await once(bus, 'data');
}

/** Resolves at the waking that these bytes bring. */
async function wakesBy(...pieces: readonly Buffer[]): Promise<void> {
  const next = new Promise<void>((resolve) => wakes.push(resolve));
  for (const piece of pieces) bus.write(piece);
  await next;
}

beforeEach(async () => {
  socket = join(tempDir(), 'bus');
  server = createServer();
  server.listen(socket);
  await once(server, 'listening');
  woke = 0;
  wakes = [];
  said = Buffer.alloc(0);
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const told = (): void => {
    woke += 1;
    for (const resolve of wakes.splice(0)) resolve();
  };
  unwatch = watchSleep({ socket, userId: 1000, woke: told });
  [bus] = await connected;
  bus.on('error', () => undefined);
  bus.on('data', (bytes: Buffer) => (said = Buffer.concat([said, bytes])));
  await heard('\0AUTH EXTERNAL 31303030\r\n');
});

afterEach(async () => {
  unwatch();
  bus.destroy();
  server.close();
  await once(server, 'close');
});

async function greet(): Promise<void> {
  bus.write('OK 1234deadbeef\r\n');
  await heard("member='PrepareForSleep'");
}

test('after the greeting it asks for the one signal, and only from logind', async () => {
  await greet();
  expect(said.toString('latin1')).toContain('BEGIN\r\nl');
  expect(said.includes("sender='org.freedesktop.login1'")).toBe(true);
});

test('going to sleep and other signals are no waking; the end of the sleep is one, in either byte order', async () => {
  await greet();
  await wakesBy(
    signal('NameAcquired', false),
    signal('PrepareForSleep', true),
    signal('PrepareForShutdown', false),
    signal('PrepareForSleep', false),
  );
  expect(woke).toBe(1);
  await wakesBy(signal('PrepareForSleep', true, 'B'), signal('PrepareForSleep', false, 'B'));
  expect(woke).toBe(2);
});

test('a message in two pieces is one message', async () => {
  await greet();
  const bytes = signal('PrepareForSleep', false);
  await wakesBy(bytes.subarray(0, 11), bytes.subarray(11));
  expect(woke).toBe(1);
});

test.each(['REJECTED EXTERNAL\r\n', 'what?\r\n'])(
  'a bus that says %j is left alone',
  async (no) => {
    bus.write(no);
    await once(bus, 'close');
    expect(woke).toBe(0);
  },
);

test('a message too long for what was asked ends it', async () => {
  await greet();
  const head = signal('PrepareForSleep', false).subarray(0, 16);
  head.writeUInt32LE(2 ** 31, 4);
  bus.write(head);
  await once(bus, 'close');
  expect(woke).toBe(0);
});

test('a machine without a bus is no failure', async () => {
  const stop = watchSleep({ socket: join(tempDir(), 'none'), userId: 0, woke: () => woke++ });
  stop();
  expect(woke).toBe(0);
  await greet();
});

test.each([
  [undefined, '/run/dbus/system_bus_socket'],
  ['', '/run/dbus/system_bus_socket'],
  ['unix:path=/var/run/x', '/var/run/x'],
  ['unix:guid=1,path=/var/run/x,runtime=yes;tcp:host=a', '/var/run/x'],
  ['tcp:host=localhost,port=1', null],
])('the address %j is the socket %j', (given, expected) => {
  expect(systemBusSocket(given)).toBe(expected);
});
