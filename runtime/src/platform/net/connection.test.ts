import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { recordingLog } from '../../../../test/support/connector-services.ts';
import { until } from '../../../../test/support/until.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { type Clock, systemClock } from '../../foundation/observe/clock.ts';
import { type Connection, type Peer, ReconnectingConnection } from './connection.ts';

const never = new AbortController().signal;

/** A peer without a network, which keeps what was made, freed and said. */
function peer(over: Partial<Peer<Connection>> = {}) {
  const connections: { lost: (reason: string) => void; isFree: boolean }[] = [];
  const events: string[] = [];
  const made: Peer<Connection> = {
    address: 'broker:1',
    connect: async (lost) => {
      const connection = {
        lost,
        isFree: false,
        close: async () => undefined,
        destroy: () => void (connection.isFree = true),
      };
      connections.push(connection);
      return connection;
    },
    probe: async () => undefined,
    attach: async () => void events.push('attach'),
    detach: () => void events.push('detach'),
    ...over,
  };
  return { made, connections, events };
}

function connectionTo(made: Peer<Connection>, mostAttempts = 10) {
  const log = recordingLog();
  const counts = { lost: 0 };
  const connection = new ReconnectingConnection(made, {
    backoff: { kind: 'constant', delay: 1, maxDelay: 1 },
    mostAttempts,
    clock: systemClock,
    log,
    lost: () => counts.lost++,
  });
  const said = () => log.lines.map(({ level, message }) => `${level}: ${message}`);
  return { connection, counts, said };
}

test('a lost connection is made again; the loss is reported and counted once, and it is freed', async () => {
  const { made, connections, events } = peer();
  const { connection, counts, said } = connectionTo(made);
  await connection.open(never);
  connections[0]?.lost('it was cut');
  connections[0]?.lost('and closed');
  await until(() => connection.problem === undefined);
  await until(() => connections[0]?.isFree === true);
  expect([connections.length, connections[1]?.isFree, counts.lost, events]).toEqual([
    2,
    false,
    1,
    ['attach', 'detach', 'attach'],
  ]);
  expect(said()).toEqual(['warn: the broker is unavailable; reconnecting', 'info: the broker is available again']);
  await connection.close();
  expect([connection.problem, connections[1]?.isFree]).toEqual(['it is closed', true]);
});

test('after its last attempt it remains unavailable, and reports it', async () => {
  let isUnavailable = false;
  const { made, connections } = peer();
  const { connection, said } = connectionTo(
    {
      ...made,
      connect: (...given) => (isUnavailable ? Promise.reject(new Error('ECONNREFUSED')) : made.connect(...given)),
    },
    3,
  );
  await connection.open(never);
  isUnavailable = true;
  connections[0]?.lost('it was cut');
  await until(() => said().includes('error: the broker remains unavailable: no further attempt is made'));
  expect(connection.problem).toMatch(/^broker:1: ECONNREFUSED; no further attempt is made since \d{4}-\d\d-\d\dT/);
  await expect(connection.check(never)).rejects.toMatchObject({
    code: 'connector_refused',
    message: expect.stringMatching(/^broker:1: ECONNREFUSED; no further attempt is made since /),
  });
});

test('one that is lost soon after it was made has longer and longer waits before it; one that lasted, the first again', async () => {
  const { made, connections } = peer();
  const waits: number[] = [];
  let now = 0;
  const clock: Clock = {
    ...systemClock,
    elapsed: () => now,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  const backoff = { kind: 'exponential', delay: 100, maxDelay: 1000 } as const;
  const connection = new ReconnectingConnection(made, { backoff, mostAttempts: 10, clock, log: recordingLog() });
  await connection.open(never);
  for (const lasted of [99, 99, 199, 399, 799, 999, 1000, 0]) {
    now += lasted;
    connections.at(-1)?.lost('it was cut');
    await until(() => connection.problem === undefined);
  }
  expect(waits).toEqual([100, 200, 400, 800, 1000, 1000, 100, 200]);
});

test('one that is lost while it gets ready never counts as made', async () => {
  const { made, connections, events } = peer();
  const { connection } = connectionTo({
    ...made,
    attach: () => {
      connections[0]?.lost('refused');
      return new Promise(() => undefined);
    },
  });
  await expect(connection.open(never)).rejects.toMatchObject({ code: 'connector_refused', message: 'refused' });
  await until(() => connections[0]?.isFree === true);
  expect([events, connection.problem]).toEqual([['detach'], 'it was not opened']);
});

test('A-04: a peer that is silent is not waited for, and what it gives later is freed', async () => {
  const { made, connections } = peer();
  const late = Promise.withResolvers<void>();
  const { connection } = connectionTo({
    ...made,
    connect: (...given) => late.promise.then(() => made.connect(...given)),
  });
  const given = new AbortController();
  const opening = connection.open(given.signal);
  given.abort(new Failure('connector_timeout', 'too late'));
  await expect(opening).rejects.toMatchObject({ code: 'connector_timeout' });
  const again = connection.open(never);
  await connection.close();
  await expect(again).rejects.toMatchObject({ code: 'cancelled', message: 'it is closed' });
  late.resolve();
  await until(() => connections.length === 2 && connections.every(({ isFree }) => isFree));
});

test('a probe that is not answered, or that fails, makes it again; probes leave nothing behind', async () => {
  let answer: () => Promise<void> = async () => undefined;
  const { made, connections } = peer({ probe: () => answer() });
  const { connection } = connectionTo(made);
  await connection.open(never);
  const long = new AbortController();
  for (let asked = 0; asked < 20; asked++) await connection.check(long.signal);
  expect([connections.length, getEventListeners(long.signal, 'abort').length]).toEqual([1, 0]);
  answer = () => new Promise(() => undefined);
  await expect(connection.check(AbortSignal.abort())).rejects.toMatchObject({ code: 'connector_timeout' });
  await until(() => connection.problem === undefined);
  answer = () => Promise.reject(new Failure('connector_refused', 'it knows no consumer'));
  await expect(connection.check(never)).rejects.toMatchObject({ message: 'it knows no consumer' });
  await until(() => connection.problem === undefined);
  expect(connections.map(({ isFree }) => isFree)).toEqual([true, true, false]);
  await connection.close();
});

test('closed, it can be opened again', async () => {
  const { made, connections } = peer();
  const { connection } = connectionTo(made);
  await connection.open(never);
  await connection.close();
  await connection.open(never);
  expect([connection.problem, connections.length]).toEqual([undefined, 2]);
  await connection.close();
});
