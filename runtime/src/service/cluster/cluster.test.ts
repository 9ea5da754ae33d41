import { describe, expect, test } from 'vitest';
import { metricSpecs } from '../../foundation/observe/metric-table.ts';
import { mergeSnapshots } from '../../foundation/observe/registry.ts';
import type { ConfigurationSnapshot } from '../config/snapshot.ts';
import { memoryLog, until } from '../running/testing/fakes.ts';
import { ManualClock } from '../running/testing/manual-clock.ts';
import { Crew, type WorkerProcess } from './crew.ts';
import { mergeHealth } from './merge.ts';
import type { Envelope, ProcessReport } from './messages.ts';
import type { PlacedConnector } from './placements.ts';

test('a component is as bad as in the worst process, and one ready process is enough', () => {
  const healthy = { status: 'healthy', latency_ms: 5 } as const;
  const away = { status: 'unhealthy', latency_ms: 1, message: 'away' } as const;
  expect(
    mergeHealth([
      { notReady: 'starting', components: { db: healthy } },
      { notReady: undefined, components: { db: away, kv: healthy } },
    ]),
  ).toEqual({
    notReady: undefined,
    components: { db: { status: 'unhealthy', latency_ms: 5, message: 'away' }, kv: healthy },
  });
  expect(mergeHealth([])).toEqual({ notReady: 'no worker is running', components: {} });
});

/** A worker that a test plays. */
class PlayedWorker implements WorkerProcess {
  readonly got: Envelope[] = [];
  readonly process = { pid: 1, kill: () => this.die(null, 'SIGKILL') };
  #message: (message: Envelope) => void = () => undefined;
  #exit: (code: number | null, signal: string | null) => void = () => undefined;

  on(event: 'message' | 'error' | 'exit', listener: never): void {
    if (event === 'message') this.#message = listener;
    else if (event === 'exit') this.#exit = listener;
  }

  isConnected(): boolean {
    return true;
  }

  send(message: Envelope): void {
    this.got.push(message);
  }

  says(message: Envelope): void {
    this.#message(message);
  }

  die(code: number | null, signal: string | null = null): void {
    this.#exit(code, signal);
  }

  /** What the worker receives when it asks for the configuration. */
  async isGiven(): Promise<unknown> {
    this.says({ question: 'configuration', id: 7 });
    await until(() => this.got.some((each) => 'answer' in each));
    return this.got.flatMap((each) => ('answer' in each && each.id === 7 ? [each.answer] : []))[0];
  }

  /** Answers the last question. */
  answers(answer: unknown): void {
    const asked = this.got.at(-1) as { id: number };
    this.says({ answer, id: asked.id });
  }
}

function crewOf(size: number, placed: readonly PlacedConnector[] = []) {
  const workers: PlayedWorker[] = [];
  const clock = new ManualClock();
  const fork = () => {
    const worker = new PlayedWorker();
    workers.push(worker);
    return worker;
  };
  const answers = { health: () => mergeHealth([]), metrics: () => '' };
  const log = memoryLog();
  const crew = new Crew(size, { fork, clock, log: log.log, life: log.log, answers });
  crew.adopt(first, placed);
  return { workers, clock, crew, log };
}

const configurationOf = (text: string): ConfigurationSnapshot => ({
  files: [{ path: 'a.hcl', text }],
  dotenv: undefined,
  texts: {},
});
const [first, second] = ['first', 'second'].map(configurationOf) as [ConfigurationSnapshot, ConfigurationSnapshot];

const ready: Envelope = { notice: 'ready', addresses: { api: 'http://localhost:1' } };

async function startedCrew(size: number) {
  const made = crewOf(size);
  const starting = made.crew.start();
  made.workers[0]?.says(ready);
  await until(() => made.workers.length === size);
  for (const worker of made.workers.slice(1)) worker.says(ready);
  expect(await starting).toEqual({ api: 'http://localhost:1' });
  return made;
}

describe('a crew', () => {
  test('does not start the others when the first cannot start', async () => {
    const { workers, crew } = crewOf(4);
    const starting = crew.start();
    workers[0]?.says({ notice: 'failed' });
    workers[0]?.die(1);
    expect(await starting).toBe(undefined);
    await crew.over;
    expect({ forked: workers.length, clean: crew.stoppedCleanly }).toEqual({ forked: 1, clean: false });
  });

  test('tries a worker again that cannot start beside others, each time later, and says so', async () => {
    const { workers, clock, crew, log } = crewOf(3);
    const missing = async () =>
      (await crew.reports())
        .flatMap(({ health }) => health.components['workers of the service'] ?? [])
        .map(({ status, message }) => [status, message]);
    const answered = async () => {
      const asked = missing();
      for (const worker of workers) if (worker.got.some((each) => 'question' in each)) worker.answers(report);
      return asked;
    };
    const report: ProcessReport = { health: { notReady: undefined, components: {} }, metrics: [], underWay: 0 };
    const starting = crew.start();
    expect(await missing()).toEqual([]);
    workers[0]?.says(ready);
    await until(() => workers.length === 3);
    workers[1]?.says(ready);
    workers[2]?.says({ notice: 'failed' });
    workers[2]?.die(1);
    expect(await starting).toEqual({ api: 'http://localhost:1' });
    for (const wait of [100, 200, 400]) {
      const before = workers.length;
      expect(await answered()).toEqual([['degraded', '2 of 3 workers take requests']]);
      await clock.pass(wait - 1);
      expect(workers.length).toBe(before);
      await clock.pass(1);
      expect(workers.length).toBe(before + 1);
      // However long it tried.
      if (wait < 400) await clock.pass(60_000);
      if (wait < 400) workers.at(-1)?.die(1);
    }
    workers.at(-1)?.says(ready);
    expect(await answered()).toEqual([]);
    expect(
      log.lines.filter(({ level }) => level === 'error').map(({ message, fields }) => [message, fields['after']]),
    ).toEqual([
      ['a worker could not start and is tried again', '100ms'],
      ['a worker could not start and is tried again', '200ms'],
      ['a worker could not start and is tried again', '400ms'],
    ]);
    await clock.pass(60_000);
  });

  test('replaces a dead worker, each time later when it ends early', async () => {
    const { workers, clock } = await startedCrew(2);
    for (const wait of [100, 200, 400, 800]) {
      const before = workers.length;
      workers.at(-1)?.die(1);
      await clock.pass(wait - 1);
      expect(workers.length).toBe(before);
      await clock.pass(1);
      expect(workers.length).toBe(before + 1);
      workers.at(-1)?.says(ready);
    }
    await clock.pass(60_000);
    const before = workers.length;
    workers.at(-1)?.die(1);
    await clock.pass(100);
    expect(workers.length).toBe(before + 1);
  });

  test('rolls a reload from worker to worker; when one keeps the old configuration, all use it again', async () => {
    const { workers, crew } = await startedCrew(3);
    const rolling = crew.roll(second, []);
    await until(() => workers[0]?.got.length === 1);
    expect(workers[1]?.got).toEqual([]);
    workers[0]?.answers(true);
    await until(() => workers[1]?.got.length === 1);
    workers[1]?.answers(false);
    await until(() => workers[0]?.got.length === 2);
    workers[0]?.answers(true);
    expect(await rolling).toBe(false);
    expect(workers.map(({ got }) => got)).toEqual([
      [
        { question: 'reload', id: 1, given: second },
        { question: 'reload', id: 2, given: first },
      ],
      [{ question: 'reload', id: 1, given: second }],
      [],
    ]);
    expect(await workers[2]?.isGiven()).toEqual(first);
  });

  test('a worker that replaces another starts with the last configuration that could be used', async () => {
    const { workers, crew, clock } = await startedCrew(2);
    const rolling = crew.roll(second, []);
    await until(() => workers[0]?.got.length === 1);
    workers[0]?.answers(true);
    await until(() => workers[1]?.got.length === 1);
    workers[1]?.die(1);
    expect(await rolling).toBe(true);
    await clock.pass(100);
    expect(await workers[2]?.isGiven()).toEqual(second);
    expect(workers[2]?.got.slice(1)).toEqual([]);
  });

  test('a worker that hangs gets no connections, is killed within ten seconds, and its counters are kept', async () => {
    const { workers, clock, crew, log } = await startedCrew(2);
    const report = (requests: number): ProcessReport => ({
      health: { notReady: undefined, components: {} },
      metrics: [
        ['svc_requests_total', [['status="200"', [requests]]]],
        ['svc_requests_in_flight', [['', [requests]]]],
      ],
      underWay: 0,
    });
    const beat = async (requests: readonly (number | undefined)[]) => {
      await clock.pass(1_000);
      for (const [at, counted] of requests.entries()) if (counted !== undefined) workers[at]?.answers(report(counted));
      await clock.pass(0);
    };
    await beat([5, 7]);
    await beat([6, undefined]);
    expect(crew.isWell(2)).toBe(true);
    for (let beats = 1; beats <= 7; beats++) await beat([6, undefined]);
    expect([crew.isWell(1), crew.isWell(2), workers.length]).toEqual([true, false, 2]);
    await beat([6, undefined]);
    expect(log.lines.map(({ message }) => message)).toEqual([
      'a worker does not answer and is killed',
      'a worker died and is replaced',
    ]);
    const asked = crew.reports();
    workers[0]?.answers(report(8));
    const metrics = mergeSnapshots(
      metricSpecs,
      (await asked).map((each) => each.metrics),
    );
    expect(metrics.filter(([, series]) => series.length > 0)).toEqual([
      ['svc_requests_total', [['status="200"', [15]]]],
      ['svc_requests_in_flight', [['', [8]]]],
    ]);
  });

  test('tells a worker again to stop that begins to take messages afterwards', async () => {
    const { workers, crew, clock } = await startedCrew(2);
    workers[0]?.die(null, 'SIGKILL');
    await clock.pass(100);
    await until(() => workers.length === 3);
    const stopping = crew.stop(5_000);
    const [, second, third] = workers as [PlayedWorker, PlayedWorker, PlayedWorker];
    second.die(0);
    third.got.length = 0;
    expect(await third.isGiven()).toEqual(first);
    expect(third.got).toContainEqual(expect.objectContaining({ question: 'stop' }));
    third.die(0);
    await stopping;
    expect(crew.stoppedCleanly).toBe(true);
  });

  test('tells every worker once to stop, and kills what does not end in time', async () => {
    const { workers, crew, clock } = await startedCrew(2);
    const stopping = crew.stop(5_000);
    const stop = { question: 'stop', id: 1, given: undefined };
    expect(workers.map(({ got }) => got)).toEqual([[stop], [stop]]);
    workers[0]?.die(0);
    await clock.pass(5_000);
    await stopping;
    expect(crew.stoppedCleanly).toBe(false);
  });
});
