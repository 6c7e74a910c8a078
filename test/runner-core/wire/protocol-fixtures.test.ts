import { expect, test } from 'vitest';
import * as z from 'zod';
import { heartbeatSchema, parseServerFrame } from '../../../runner-core/wire/frames.ts';
import { jobsOf, parseJob } from '../../../runner-core/wire/job-payload.ts';
import type { RegisterRequest } from '../../../runner-core/wire/rest.ts';
import { confirmation } from '../../../runner-core/wire/result-report.ts';
import { SERVER_URL } from '../../support/docker-job.ts';
import { protocolFixture } from '../../support/protocol-fixtures.ts';

test('the ack that wants the inventory is read', () => {
  expect(parseServerFrame(protocolFixture('cli/ack_inventory_wanted.json').text)).toEqual({
    ok: true,
    frame: { type: 'ack', inventory_wanted: true },
  });
});

test.each(['heartbeat_hash_only', 'heartbeat_with_inventory'])(
  'the plane reads the reference heartbeat %s whole',
  (name) => {
    const { value } = protocolFixture(`cli/${name}.json`);
    expect(heartbeatSchema.parse(value)).toEqual(value);
  },
);

test.each(['register_956_era', 'register_with_inventory'])(
  'our register request has every field of the reference request %s, save the inventory',
  (name) => {
    const ours: RegisterRequest = {
      name: '',
      hostname: '',
      os: '',
      arch: '',
      labels: [],
      concurrency: 1,
      host_exec_profiles: [],
    };
    const fields = Object.keys(
      z.record(z.string(), z.unknown()).parse(protocolFixture(`cli/${name}.json`).value),
    );
    expect(fields.filter((field) => field !== 'harness_inventory').sort()).toEqual(
      Object.keys(ours).sort(),
    );
  },
);

test.each([
  'session_event',
  'session_start',
  'session_state_ended',
  'session_state_rejected',
  'session_state_running',
  'session_stop',
  'session_turn',
  'session_turn_done',
])('the frame %s is an unknown type and skipped', (name) => {
  expect(parseServerFrame(protocolFixture(`cli/${name}.json`).text)).toMatchObject({
    ok: false,
    kind: 'unknown_type',
  });
});

const publication = z
  .object({
    job: z.unknown(),
    requests: z.array(z.record(z.string(), z.unknown())),
  })
  .parse(protocolFixture('private_publication_protocol.json').value);

test('the publication job is refused, as a Docker job whose kind is not offered', () => {
  const frame = parseServerFrame(JSON.stringify({ type: 'job', job: publication.job }));
  if (!frame.ok) throw new Error(frame.problem);
  const [job] = jobsOf(frame.frame);
  expect(parseJob(job, SERVER_URL)).toMatchObject({
    kind: 'refused',
    spec: {
      kind: 'unrunnable',
      jobId: '11111111-1111-4111-8111-111111111111',
      report: { kind: 'docker_v1' },
    },
    reason: { code: 'kind_unsupported', facts: { kind: 'isolated publication' } },
  });
});

test.each(publication.requests.map((request) => [request['type'], request] as const))(
  'the publication frame %s is an unknown type and skipped',
  (_type, request) => {
    expect(parseServerFrame(JSON.stringify(request))).toMatchObject({ kind: 'unknown_type' });
  },
);

test('a publication_publish frame is an unknown type and skipped', () => {
  const { value } = protocolFixture('publication_publish_request.json');
  const frame = { type: 'publication_publish', ...z.record(z.string(), z.unknown()).parse(value) };
  expect(parseServerFrame(JSON.stringify(frame))).toMatchObject({ kind: 'unknown_type' });
});

const vocabulary = z
  .object({
    success_statuses: z.array(z.string()),
    failure_statuses: z.array(z.string()),
    success_verdicts: z.array(z.string()),
    failure_verdicts: z.array(z.string()),
    protocol: z.literal('docker_v1'),
    version: z.literal(1),
    cases: z.array(
      z.object({
        name: z.string(),
        result: z.unknown(),
        confirmation: z.enum(['success', 'failure']).nullable(),
      }),
    ),
  })
  .parse(protocolFixture('runner_completion_vocabulary.json').value);

test.each(vocabulary.cases.map((row) => [row.name, row.confirmation, row.result] as const))(
  'vocabulary row %s confirms %s',
  (_name, expected, result) => {
    expect(confirmation(result)).toBe(expected);
  },
);

test('the vocabulary has the words of the fixture and no others', () => {
  const words = ['success', 'succeeded', 'pass', 'passed', 'fail', 'failure', 'failed', 'error']
    .concat(['pass_with_findings', 'partial', 'timeout', 'cancelled', 'running', 'unknown', ''])
    .concat(vocabulary.success_statuses, vocabulary.failure_statuses);
  const confirmedBy = (key: string, answer: string): string[] =>
    [...new Set(words)].filter((word) => confirmation({ [key]: word }) === answer).sort();
  expect(confirmedBy('status', 'success')).toEqual(vocabulary.success_statuses.toSorted());
  expect(confirmedBy('status', 'failure')).toEqual(vocabulary.failure_statuses.toSorted());
  expect(confirmedBy('verdict', 'success')).toEqual(vocabulary.success_verdicts.toSorted());
  expect(confirmedBy('verdict', 'failure')).toEqual(vocabulary.failure_verdicts);
});
