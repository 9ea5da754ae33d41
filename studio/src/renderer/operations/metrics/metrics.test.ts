import { expect, test } from 'vitest';
import { sessionWith } from '../../debug/testing/session.ts';
import { Metrics } from './metrics.ts';

const counts = (succeeded: number) => ({
  bounds: [1],
  flows: [{ flow: 'f', succeeded, failed: 0, dropped: 0, inFlight: 0, seconds: 0, durations: [succeeded, 0] }],
  sources: [],
  process: {
    ...{ processes: 1, uptimeSeconds: succeeded, memoryBytes: 1, heapBytes: 1, cpuSeconds: 1 },
    ...{ lagSeconds: 0, requestsInFlight: 0, tasks: 0 },
  },
});

test('each answer is a look, and nothing is known of a service that is gone', async () => {
  let asked = 0;
  const { session } = sessionWith({
    'debug.attach': () => ({ sessionId: 's', flows: [], capabilities: ['metrics'] }),
    'debug.ready': () => ({ ok: true, sources: [] }),
    'debug.threads': () => ({ threads: [] }),
    'inspect.metrics': () => counts(34 * ++asked),
  });
  let elapsed = 0;
  const metrics = new Metrics(session, () => (elapsed += 1_000));
  await session.attach('127.0.0.1:1');
  await metrics.entry.refresh();
  expect([metrics.looks.value.length, metrics.summary.value]).toEqual([1, undefined]);
  await metrics.entry.refresh();
  expect([metrics.looks.value.length, metrics.summary.value]).toEqual([2, '34 requests/s']);
  session.detach();
  expect([metrics.looks.value, metrics.summary.value]).toEqual([[], undefined]);
});
