import { expect, test } from 'vitest';
import { joinedFacts } from '../../../runner-core/worker/joined-facts.ts';
import { NO_FACTS, type Phase, type PhaseStart } from '../../../runner-core/worker/protocol.ts';

const phases = (...starts: readonly (readonly [Phase, number])[]): PhaseStart[] =>
  starts.map(([phase, atMs]) => ({ phase, atMs }));
const FIRST = phases(['preparing', 1], ['creating', 2], ['starting', 3], ['running', 4]);

test('a worker that took a job over adds its phases to those of the one before, told again and again', () => {
  const known = { ...NO_FACTS, containerId: 'c', peakMemoryBytes: 900, cpuMs: 5, phases: FIRST };
  const once = joinedFacts(known, {
    ...NO_FACTS,
    peakMemoryBytes: 300,
    phases: phases(['running', 9]),
  });
  expect(once).toEqual({ ...known, phases: [...FIRST, ...phases(['running', 9])] });
  const told = {
    ...NO_FACTS,
    cpuMs: 7,
    exitCode: 3,
    phases: phases(['running', 9], ['collecting', 12]),
  };
  expect(joinedFacts(once, told)).toEqual({
    ...known,
    cpuMs: 7,
    exitCode: 3,
    phases: [...FIRST, ...phases(['running', 9], ['collecting', 12])],
  });
});

test('one worker that tells more of its own way replaces what it told', () => {
  const known = { ...NO_FACTS, phases: FIRST.slice(0, 2) };
  expect(joinedFacts(known, { ...NO_FACTS, phases: FIRST }).phases).toEqual(FIRST);
  expect(joinedFacts(null, { ...NO_FACTS, phases: FIRST }).phases).toEqual(FIRST);
});

test('a worker that broke off before its first phase takes nothing away, nor does a clock that was set back', () => {
  const known = { ...NO_FACTS, phases: FIRST };
  expect(joinedFacts(known, NO_FACTS)).toEqual(known);
  expect(joinedFacts(known, { ...NO_FACTS, phases: phases(['running', 2]) }).phases).toEqual([
    ...FIRST,
    ...phases(['running', 2]),
  ]);
});
