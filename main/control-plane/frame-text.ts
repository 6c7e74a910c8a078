/** Frames as the text that is sent. Owns one buffer that every log frame is written into. */
import type { ClientFrame, LogsFrame, PackedLines } from '../../runner-core/wire/frames.ts';

let scratch = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * The text of a frame. What is given back for packed lines is only good until the next call: the socket
 * masks, and by that copies, what it is given before `send` returns.
 */
export function encodeFrame(frame: ClientFrame): string | Buffer {
  if (frame.type !== 'logs' || !isPacked(frame.lines)) return JSON.stringify(frame);
  return encodeLogs(frame, frame.lines);
}

function encodeLogs(frame: LogsFrame, lines: PackedLines): Buffer {
  const head = JSON.stringify({ ...frame, lines: undefined });
  const room = Buffer.byteLength(head) + '"lines":'.length + lines.maxJsonBytes + 2;
  if (scratch.length < room) scratch = Buffer.allocUnsafeSlow(room);
  // The closing brace makes way for one more member.
  let at = scratch.write(head.slice(0, -1));
  at += scratch.write(',"lines":', at);
  at = lines.writeJson(scratch, at);
  scratch[at++] = '}'.charCodeAt(0);
  return scratch.subarray(0, at);
}

function isPacked(lines: LogsFrame['lines']): lines is PackedLines {
  return 'writeJson' in lines;
}
