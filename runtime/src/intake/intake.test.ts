import { describe, expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../test/support/connector-services.ts';
import { until } from '../../../test/support/until.ts';
import { anonymous } from '../contracts/message.ts';
import type { Outcome } from '../contracts/outcome.ts';
import { Failure } from '../errors/failure.ts';
import { systemClock } from '../observe/clock.ts';
import type { Arrival, Driver, Settlement } from './driver.ts';
import { Intake } from './intake.ts';
import { topicPatterns } from './routes.ts';

const reply: Outcome = { kind: 'reply', value: null };

interface Sent {
  readonly key?: string;
  readonly order?: string;
  readonly body: string;
}

/** A peer without a network: what a protocol could do, and a record of what it was told. */
function peer(over: Partial<Driver> = {}) {
  let deliver: ((arrival: Arrival) => void) | undefined;
  const told: [string, Settlement['kind']][] = [];
  const driver: Driver = {
    type: 'test',
    name: 'here',
    window: 10,
    workers: 10,
    patterns: topicPatterns,
    retries: { most: undefined, keepsRejected: false, pause: 'slot' },
    subscribe: async (_window, take) => void (deliver = take),
    unsubscribe: async () => void (deliver = undefined),
    renew: () => undefined,
    ...over,
  };
  const arrival = ({ key = 'k', order, body }: Sent, returnable: boolean): Arrival => ({
    key,
    order,
    id: undefined,
    identity: () => body,
    tries: 0,
    returnable,
    message: async () => ({ input: { body }, auth: anonymous, addressed: [] }),
    settle: ({ kind }) => void told.push([body, kind]),
  });
  return {
    driver,
    told,
    send: (sent: Sent, returnable = true) => deliver?.(arrival(sent, returnable)),
  };
}

async function started(driver: Driver, deliver: (body: string) => Outcome | Promise<Outcome>) {
  const log = recordingLog();
  const clock = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 1000, signal) };
  const intake = new Intake(driver, { connector: 'here', services: connectorServices({ log, clock }) });
  const flows = intake.bind([
    { flow: 'f', operation: undefined, format: undefined, deliver: ({ input }) => deliver(input['body'] as string) },
  ]);
  await flows.prepare();
  flows.use();
  await intake.start();
  await intake.connected();
  return { intake, log };
}

describe('an intake', () => {
  test('R-77: messages of one order are handled one after another, others beside them', async () => {
    const { driver, send } = peer();
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const { intake } = await started(driver, (body) => {
      begun.push(body);
      return new Promise((resolve) => ends.set(body, () => resolve(reply)));
    });
    for (const body of ['a1', 'a2', 'b1', 'a3']) send({ order: body[0] as string, body });
    await until(() => begun.length === 2);
    expect(begun).toEqual(['a1', 'b1']);
    for (const [body, count] of [
      ['a1', 3],
      ['a2', 4],
    ] as const) {
      ends.get(body)?.();
      await until(() => begun.length === count);
    }
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
    for (const body of ['a3', 'b1']) ends.get(body)?.();
    await until(() => intake.events.unsettled === 0);
  });

  test('R-77: a message that fails is tried before the next one of its order, where the peer takes none back', async () => {
    const { driver, send, told } = peer();
    const begun: string[] = [];
    const { intake } = await started(driver, (body) => {
      begun.push(body);
      if (body === 'a1' && begun.length < 4) throw new Failure('connector_refused', 'away');
      return reply;
    });
    for (const body of ['a1', 'a2', 'b1']) send({ order: body[0] as string, body }, false);
    await until(() => intake.events.unsettled === 0);
    expect(begun.filter((body) => body !== 'b1')).toEqual(['a1', 'a1', 'a1', 'a2']);
    expect(told.map(([body]) => body)).toEqual(['b1', 'a1', 'a2']);
  });

  test('R-88: a flow that throws what is no failure settles its message, and the next one is taken', async () => {
    const { driver, send, told } = peer();
    let count = 0;
    const { intake } = await started(driver, () => {
      if (count++ === 0) throw 'a text';
      return reply;
    });
    send({ body: 'a' });
    send({ body: 'b' });
    await until(() => intake.events.unsettled === 0);
    expect(told).toEqual([
      ['b', 'ack'],
      ['a', 'requeue'],
    ]);
  });

  test('R-88: a subscription that fails is made over another connection', async () => {
    const reasons: string[] = [];
    const { driver } = peer({ renew: (reason) => void reasons.push(reason) });
    let isBroken = false;
    const { intake } = await started(
      {
        ...driver,
        unsubscribe: () => (isBroken ? Promise.reject(new Error('the channel is gone')) : Promise.resolve()),
      },
      () => reply,
    );
    isBroken = true;
    intake.events.admit('single');
    await until(() => reasons.length === 1);
    expect(reasons).toEqual(['the channel is gone']);
  });
});
