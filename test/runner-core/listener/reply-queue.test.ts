import { expect, test } from 'vitest';
import { ReplyQueue, type Reply } from '../../../runner-core/listener/reply-queue.ts';
import type { ClientFrame } from '../../../runner-core/wire/frames.ts';

const ID = '5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c01';
const B1 = '0b9d7c52-3f64-8a18-8e2d-000000000001';
const B2 = '0b9d7c52-3f64-8a18-8e2d-000000000002';
const status: ClientFrame = { type: 'status', execution_id: ID, status: 'RUNNING' };
const complete: ClientFrame = {
  type: 'complete',
  execution_id: ID,
  status: 'FAILED',
  exit_code: 1,
  result: null,
  error: '',
  completion_protocol: 'docker_v1',
};
const logs = (batchId?: string): ClientFrame => ({
  type: 'logs',
  execution_id: ID,
  lines: ['x'],
  ...(batchId === undefined ? {} : { batch_id: batchId }),
});

function queueOf(frames: Record<string, ClientFrame>) {
  const queue = new ReplyQueue();
  const replies: [string, Reply['kind']][] = [];
  for (const [name, frame] of Object.entries(frames))
    queue.expect(frame, (reply) => void replies.push([name, reply.kind]));
  return { queue, replies };
}

test('bare acks settle frames in the order they were sent', () => {
  const { queue, replies } = queueOf({ status, complete });
  queue.take({ type: 'ack' });
  expect(replies).toEqual([['status', 'acknowledged']]);
  queue.take({ type: 'ack' });
  expect(replies).toEqual([
    ['status', 'acknowledged'],
    ['complete', 'acknowledged'],
  ]);
});

test('an ack is no reply to a batch that has an id: what was passed over is missed, not acknowledged', () => {
  const { queue, replies } = queueOf({ batch: logs(B1), complete });
  queue.take({ type: 'ack' });
  expect(replies).toEqual([
    ['batch', 'missed'],
    ['complete', 'acknowledged'],
  ]);
});

test('an ack is the reply to a batch without an id', () => {
  const { queue, replies } = queueOf({ batch: logs(), complete });
  queue.take({ type: 'ack', execution_id: ID, batch_id: null });
  expect(replies).toEqual([['batch', 'acknowledged']]);
});

test('a logs_ack finds its batch by id in any spelling, and what lies before it is missed', () => {
  const { queue, replies } = queueOf({ status, first: logs(B1), second: logs(B2), complete });
  queue.take({
    type: 'logs_ack',
    execution_id: ID,
    batch_id: B2.toUpperCase().replaceAll('-', ''),
  });
  expect(replies).toEqual([
    ['status', 'missed'],
    ['first', 'missed'],
    ['second', 'acknowledged'],
  ]);
  expect(queue.length).toBe(1);
});

test('a reply that answers nothing settles nothing', () => {
  const { queue, replies } = queueOf({ status, first: logs(B1) });
  expect(queue.take({ type: 'logs_ack', execution_id: ID, batch_id: B2 })).toBe(false);
  expect(queue.take({ type: 'error', error: 'Invalid runner log batch', batch_id: B2 })).toBe(
    false,
  );
  expect(replies).toEqual([]);
  expect(new ReplyQueue().take({ type: 'ack' })).toBe(false);
  expect(new ReplyQueue().take({ type: 'error', error: 'unknown logs' })).toBe(false);
});

test('a refused batch is told apart by its id, or is the first batch out', () => {
  const { queue, replies } = queueOf({ first: logs(B1), second: logs(B2), third: logs(B1) });
  queue.take({ type: 'error', error: 'Invalid runner log batch' });
  queue.take({ type: 'error', error: 'Invalid runner log batch', batch_id: B1 });
  expect(replies).toEqual([
    ['first', 'refused'],
    ['second', 'missed'],
    ['third', 'refused'],
  ]);
});

test('an error about a completion answers the completion; any other answers the oldest frame', () => {
  const about = queueOf({ status, complete });
  about.queue.take({ type: 'error', error: 'Runner execution no longer exists' });
  expect(about.replies).toEqual([
    ['status', 'missed'],
    ['complete', 'refused'],
  ]);
  const other = queueOf({ status, complete });
  other.queue.take({ type: 'error', error: 'unknown status' });
  expect(other.replies).toEqual([['status', 'refused']]);
});
