/**
 * Hears from Linux that the machine woke: logind says so on the system bus, a socket file that stays silent
 * otherwise. Speaks just enough of D-Bus to ask for that one signal. Where there is no bus, nothing is heard, and
 * the wall clock tells of it later (`wake-watch.ts`).
 */
import { connect } from 'node:net';

export interface SleepWatchDeps {
  /** Absolute path of the system bus's socket. */
  readonly socket: string;
  /** Ours, by which the bus knows who asks. */
  readonly userId: number;
  readonly woke: () => void;
}

const BUS = 'org.freedesktop.DBus';
const SIGNAL = 'PrepareForSleep';
const RULE = `type='signal',sender='org.freedesktop.login1',interface='org.freedesktop.login1.Manager',member='${SIGNAL}'`;
const TYPE = { call: 1, signal: 4 } as const;
const NO_REPLY_EXPECTED = 1;
const FIELD = { path: 1, interface: 2, member: 3, destination: 6, signature: 8 } as const;
/** A header field that says the body is one text. */
const TEXT_SIGNATURE = Buffer.from([FIELD.signature, 1, 0x67, 0, 1, 0x73, 0]);
const HEAD_BYTES = 16;
/** What we asked for has under 300; more is no talk of ours. */
const MAX_MESSAGE_BYTES = 65_536;

/** Where the system bus listens, as its specification has it; null for an address we cannot dial. */
export function systemBusSocket(given: string | undefined): string | null {
  if (given === undefined || given === '') return '/run/dbus/system_bus_socket';
  return /^unix:(?:.*,)?path=([^,;]+)/.exec(given)?.[1] ?? null;
}

/** The result ends it. Never throws; a bus that goes away is not dialled again. */
export function watchSleep({ socket, userId, woke }: SleepWatchDeps): () => void {
  const bus = connect(socket);
  let received = Buffer.alloc(0);
  let isGreeted = false;
  bus.on('error', () => undefined);
  bus.on('connect', () => bus.write(`\0AUTH EXTERNAL ${hex(String(userId))}\r\n`));
  bus.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    if (!isGreeted) {
      const end = received.indexOf('\r\n');
      if (end < 0) return;
      if (!received.toString('latin1', 0, end).startsWith('OK ')) return void bus.destroy();
      isGreeted = true;
      received = received.subarray(end + 2);
      bus.write('BEGIN\r\n');
      bus.write(busCall(1, 'Hello', null));
      bus.write(busCall(2, 'AddMatch', RULE));
    }
    for (;;) {
      const length = messageLength(received);
      if (length > MAX_MESSAGE_BYTES) return void bus.destroy();
      if (received.length < length) return;
      if (saysAwake(received.subarray(0, length))) woke();
      received = received.subarray(length);
    }
  });
  return () => void bus.destroy();
}

/** Of the message that begins here; of its fixed part while even that is not whole. */
function messageLength(bytes: Buffer): number {
  if (bytes.length < HEAD_BYTES) return HEAD_BYTES;
  return aligned(HEAD_BYTES + uint32(bytes, 12)) + uint32(bytes, 4);
}

/** The signal comes with true before the sleep and with false after it. */
function saysAwake(message: Buffer): boolean {
  const bodyAt = message.length - uint32(message, 4);
  if (message[1] !== TYPE.signal || message.length < bodyAt + 4) return false;
  return message.subarray(0, bodyAt).includes(`${SIGNAL}\0`) && uint32(message, bodyAt) === 0;
}

function uint32(bytes: Buffer, at: number): number {
  return bytes[0] === 'B'.charCodeAt(0) ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
}

/** A call of the bus itself, with one text or nothing. */
function busCall(serial: number, member: string, argument: string | null): Buffer {
  const named = Buffer.concat(
    [
      field(FIELD.path, 'o', '/org/freedesktop/DBus'),
      field(FIELD.interface, 's', BUS),
      field(FIELD.destination, 's', BUS),
      ...(argument === null ? [] : [TEXT_SIGNATURE]),
    ].map(padded),
  );
  const last = field(FIELD.member, 's', member);
  const body = argument === null ? Buffer.alloc(0) : text(argument);
  const start = Buffer.alloc(HEAD_BYTES);
  start.write('l', 0, 'latin1');
  start.writeUInt8(TYPE.call, 1);
  start.writeUInt8(argument === null ? 0 : NO_REPLY_EXPECTED, 2);
  start.writeUInt8(1, 3);
  start.writeUInt32LE(body.length, 4);
  start.writeUInt32LE(serial, 8);
  // Every field but the last begins and ends at a multiple of eight; padding after the last does not count.
  start.writeUInt32LE(named.length + last.length, 12);
  return Buffer.concat([start, named, padded(last), body]);
}

function field(code: number, type: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([code, 1, type.charCodeAt(0), 0]), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes, Buffer.alloc(1)]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)]);
}

function aligned(length: number): number {
  return Math.ceil(length / 8) * 8;
}

function hex(value: string): string {
  return Buffer.from(value, 'utf8').toString('hex');
}
