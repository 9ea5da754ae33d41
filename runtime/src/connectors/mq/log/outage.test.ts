import { expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { kafka, startKafka } from '../../../../../test/support/servers/kafka/server.ts';
import { until } from '../../../../../test/support/until.ts';
import type { EventConnector } from '../../intake/testing/conformance.ts';
import { create } from './connector.ts';
import { TestBrokers } from './testing/broker.ts';
import { cleanups, never, reply, written } from './testing/consuming.ts';

const partitions = 3;
/** Failed attempts to connect before the broker comes back. */
const attempts = 5;

test.skipIf(!kafka.isInstalled())(
  'a broker that is killed and away for a while: health reports it, and reading and writing continue with nothing lost',
  { timeout: 240_000 },
  async () => {
    const server = await startKafka(['group.min.session.timeout.ms=500', 'group.initial.rebalance.delay.ms=100']);
    cleanups.push(() => server.stop());
    const brokers = await TestBrokers.real(server.address);
    cleanups.push(() => brokers.stop());
    const topic = await brokers.topic(partitions);
    const log = recordingLog();
    const config = written(brokers, topic, {
      reconnect_delay: 200,
      producer: { topic, linger_ms: 0, timeout: 5_000 },
      consumer: { session_timeout: 6_000 },
    });
    const connector = create('orders', config, connectorServices({ log })) as EventConnector;
    cleanups.push(() => connector.close(AbortSignal.abort()));
    const taken = new Map<number, number>();
    const flows = connector.source.bind([
      {
        flow: 'f',
        operation: undefined,
        words: {},
        deliver: ({ input }) => {
          const { n } = input['body'] as { readonly n: number };
          taken.set(n, (taken.get(n) ?? 0) + 1);
          return reply;
        },
      },
    ]);
    await flows.prepare();
    await connector.open(never);
    flows.use();
    await connector.source.start();
    const execute = connector.target?.prepare({
      verb: 'create',
      operation: undefined,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'to',
    });
    // As callers do, what failed is sent again.
    const send = (n: number) =>
      until(() =>
        Promise.resolve(execute?.({ payload: { n }, params: { partition: n % partitions } })).then(() => true),
      );
    let next = 0;
    let stops = false;
    const sending = (async () => {
      while (!stops) await Promise.all(Array.from({ length: 20 }, () => send(next++)));
    })();
    await until(() => taken.size > 500);
    const failures = () => log.lines.filter(({ message }) => message === 'the broker cannot be reached').length;
    await server.crash(async () => {
      await expect(connector.check?.(never)).rejects.toMatchObject({ code: expect.stringMatching(/^connector_/) });
      await until(() => failures() >= attempts);
    });
    const before = taken.size;
    await until(() => taken.size > before + 500);
    stops = true;
    await sending;
    await until(async () => (await brokers.waiting(topic, `${topic}-group`)) === 0);
    expect(await connector.check?.(never)).toBe(undefined);
    expect([...taken.keys()].toSorted((one, other) => one - other)).toEqual(Array.from({ length: next }, (_, n) => n));
  },
);
