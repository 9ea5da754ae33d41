import { expect, test } from 'vitest';
import { memoryLog } from '../running/testing/fakes.ts';
import { ManualClock } from '../running/testing/manual-clock.ts';
import { type PlacedConnector, Placements } from './placements.ts';

const named = (...names: string[]): PlacedConnector[] => names.map((name) => ({ name, type: 'mqtt', optional: false }));

/** Placements, and workers that say what they can run. */
function made() {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const moves: [string, number | undefined][] = [];
  const placements = new Placements({ clock, log, life: log, placed: (...place) => void moves.push(place) });
  /** What each worker runs. */
  const runs: Record<number, readonly string[]> = {};
  const refused = new Set<string>();
  const add = (number: number, isWell = () => true) =>
    placements.add({
      number,
      pid: number,
      isWell,
      place: async (connectors) => {
        const failed = connectors.filter((name) => refused.has(`${name} in ${number}`));
        runs[number] = connectors.filter((name) => !failed.includes(name));
        for (const [other, has] of Object.entries(runs))
          if (Number(other) !== number)
            expect(
              has.filter((name) => connectors.includes(name)),
              'two at once',
            ).toEqual([]);
        return Object.fromEntries(failed.map((name) => [name, 'away']));
      },
    });
  const gone = (number: number) => {
    delete runs[number];
    placements.remove(number, clock.elapsed());
  };
  return { clock, placements, runs, refused, add, gone, moves, lines };
}

test('A-16: connectors are spread over the workers, and those of a dead one move; the gap is counted', async () => {
  const { placements, add, gone, runs, moves, clock } = made();
  for (const number of [1, 2]) add(number);
  await placements.use(named('a', 'b', 'c'));
  expect(runs).toEqual({ 1: ['a', 'c'], 2: ['b'] });
  gone(1);
  expect(placements.health).toEqual({
    a: { status: 'degraded', latency_ms: 0, message: 'it runs in no worker' },
    c: { status: 'degraded', latency_ms: 0, message: 'it runs in no worker' },
  });
  await clock.pass(250);
  add(3);
  await placements.arrange();
  expect([runs, placements.health]).toEqual([{ 2: ['b', 'c'], 3: ['a'] }, {}]);
  expect(moves.slice(3)).toEqual([
    ['a', 3],
    ['c', 2],
  ]);
  const [[, gaps] = ['', []]] = placements.metrics;
  expect(gaps.map(([labels, numbers]) => [labels, numbers.at(-1)])).toEqual([
    ['connector="a",reason="worker"', 0.25],
    ['connector="c",reason="worker"', 0.25],
  ]);
});

test('connectors that were removed end before others begin; an unhealthy worker gets no connector', async () => {
  const { placements, add, runs, moves } = made();
  add(1);
  add(2, () => false);
  await placements.use(named('a', 'b'));
  expect(runs).toEqual({ 1: ['a', 'b'] });
  await placements.use(named('b', 'c'));
  expect(runs).toEqual({ 1: ['b', 'c'] });
  expect(moves).toEqual([
    ['a', 1],
    ['b', 1],
    ['a', undefined],
    ['c', 1],
  ]);
});

test('one that cannot be opened is unhealthy, and retried in another worker with growing backoff', async () => {
  const { placements, add, runs, refused, clock, lines } = made();
  for (const number of [1, 2]) add(number);
  refused.add('a in 1').add('a in 2');
  await placements.use(named('a'));
  expect(placements.health).toEqual({ a: { status: 'unhealthy', latency_ms: 0, message: 'away' } });
  expect(placements.metrics[1]).toEqual(['svc_connector_health', [['connector="a",type="mqtt"', [0]]]]);
  await clock.pass(2_000);
  expect(lines.map(({ message }) => message)).toEqual(['connector runs in no worker', 'connector runs in no worker']);
  refused.clear();
  await clock.pass(4_000);
  expect([runs[1], placements.health]).toEqual([['a'], {}]);
  placements.stop();
});

test('a worker that does not answer keeps its connector until it is gone', async () => {
  const { placements, add, gone, runs } = made();
  placements.add({ number: 1, pid: 1, isWell: () => true, place: () => Promise.reject(new Error('no answer')) });
  await placements.use(named('a'));
  add(2);
  await placements.arrange();
  expect(runs).toEqual({});
  gone(1);
  await placements.arrange();
  expect(runs).toEqual({ 2: ['a'] });
});
