import { expect, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Connection } from '../../../platform/net/connection.ts';
import { topicPatterns } from '../dispatch/routes.ts';
import type { Settlement } from '../driver.ts';
import type { BrokerMessage } from './broker-delivery.ts';
import { ConnectedSource } from './connected.ts';
import type { ConnectedDriver, Deliver } from './connected-driver.ts';

const never = new AbortController().signal;
const reply: Outcome = { kind: 'reply', value: null };

interface Sent {
  readonly source: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A broker without a network: its sources by name, and what a driver does with them. */
class Broker {
  readonly sources = new Map<string, { waiting: number; hasDeadLetters: boolean }>();
  readonly declared: string[] = [];
  readonly settled: Settlement['kind'][] = [];
  readonly sent: Sent[] = [];
  consumers = 0;
  deliver: Deliver = () => undefined;

  message(key: string, headers: Readonly<Record<string, unknown>> = {}): BrokerMessage {
    return {
      key,
      id: 'm-1',
      content: Buffer.from('a'),
      headers,
      origin: { 'x-from': 'first' },
      returnable: true,
      input: async () => ({ key, ...headers }),
      settle: ({ kind }) => void this.settled.push(kind),
      resend: async (source, more) => void this.sent.push({ source, headers: { ...headers, ...more } }),
    };
  }
}

function connected(broker: Broker, over: Partial<ConnectedDriver<Connection>> = {}, createIfMissing = false) {
  const log = recordingLog();
  const driver: ConnectedDriver<Connection> = {
    type: 'test',
    patterns: topicPatterns,
    server: { text: 'broker:1', isSecure: false, ignored: [] },
    tls: undefined,
    consumer: { prefetch: 10, workers: 1 },
    sourceKind: 'queue',
    sources: undefined,
    topology: {
      place: 'the test',
      createIfMissing,
      exists: async (_, source) => broker.sources.has(source),
      declare: async (_, source, exists) => {
        broker.declared.push(source);
        if (!exists) broker.sources.set(source, { waiting: 0, hasDeadLetters: true });
        return broker.sources.get(source)?.hasDeadLetters ?? true;
      },
    },
    connect: async () => ({ close: async () => undefined, destroy: () => undefined }),
    subscribe: async (_, sources, _window, deliver) => {
      broker.consumers = sources.length;
      broker.deliver = deliver;
      return async () => {
        broker.consumers = 0;
      };
    },
    take: async (_, source) => (broker.sources.get(source)?.waiting ? broker.message('pulled') : undefined),
    inspect: async (_, source) => ({
      waiting: broker.sources.get(source)?.waiting ?? 0,
      consumers: broker.consumers,
    }),
    ...over,
  };
  const backoff = { kind: 'constant', delay: 1, maxDelay: 1 } as const;
  const connector = new ConnectedSource('orders', driver, { backoff, mostAttempts: 0 }, connectorServices({ log }));
  /** Binds flows of these operations; each does what `deliver` says. */
  const bind = (operations: readonly string[], deliver: (message: Message) => Outcome = () => reply) =>
    connector.source.bind(operations.map((operation) => ({ flow: operation, operation, words: {}, deliver })));
  const start = async (...flows: Parameters<typeof bind>) => {
    const bound = bind(...flows);
    await connector.open(never);
    bound.use();
    await connector.source.start();
  };
  return { connector, bind, start, said: () => log.lines.map(({ message }) => message) };
}

const existing = { waiting: 0, hasDeadLetters: true };

test('where operations name sources, each takes the messages of its source, whatever their keys are', async () => {
  const broker = new Broker();
  broker.sources.set('a', { ...existing, waiting: 2 }).set('b', { ...existing, waiting: 3 });
  const { connector, start } = connected(broker);
  const taken: unknown[] = [];
  await start(['a', 'b'], ({ input }) => {
    taken.push(input['key']);
    return reply;
  });
  expect([connector.source.events.name, broker.consumers, await connector.source.events.waiting?.()]).toEqual([
    'a,b',
    2,
    5,
  ]);
  broker.deliver(broker.message('any key'), 'b');
  await until(() => broker.settled.length === 1);
  expect([taken, broker.settled]).toEqual([['any key'], ['ack']]);
  await connector.close();
});

test('other flows may name other sources, which are declared over the same connection', async () => {
  const broker = new Broker();
  const { connector, bind, start } = connected(broker, {}, true);
  await start(['a']);
  bind(['a', 'b']).use();
  await until(() => broker.consumers === 2);
  expect(broker.declared).toEqual(['a', 'b']);
  await connector.check(never);
  await connector.close();
});

test('a missing source ends the start; one without its dead letters is reported once', async () => {
  const broker = new Broker();
  const { connector, start, said } = connected(broker, { sources: ['a'] });
  await expect(start(['#'])).rejects.toThrow(
    'queue "a" does not exist in the test: declare it at the broker first, or write create_if_missing = true in the consumer block',
  );
  broker.sources.set('a', { waiting: 0, hasDeadLetters: false });
  await start(['#']);
  await connector.close();
  await connector.open(never);
  expect(said().filter((message) => message.startsWith('the queue exists without the dead letters'))).toHaveLength(1);
  await connector.close();
});

test('missing sources that the block names are created on request, once', async () => {
  const broker = new Broker();
  const { connector } = connected(broker, { sources: ['a', 'b'] });
  broker.sources.set('b', existing);
  expect(await connector.createSource?.(never)).toBe('queue "a"');
  expect(await connector.createSource?.(never)).toBeUndefined();
});

test('a broker that has no consumer of a source makes the connector unhealthy', async () => {
  const broker = new Broker();
  broker.sources.set('a', existing);
  const { connector, start } = connected(broker, { sources: ['a'] });
  await start(['#']);
  await connector.check(never);
  broker.consumers = 0;
  await expect(connector.check(never)).rejects.toThrow('the broker has no consumer of queue "a"');
  await connector.close();
});

test('a failed message is sent again with its tries, its reason and where it was first sent to; then it is given up', async () => {
  const broker = new Broker();
  broker.sources.set('a', existing);
  const dlq = { enabled: true, max_retries: 2, retry_delay: 50, retry_header: 'x-tries', external: false };
  const consumer = { prefetch: 10, workers: 1, dlq };
  const { connector, start } = connected(broker, { sources: ['a'], consumer });
  await start(['#'], () => {
    throw new Failure('connector_refused', 'the database\nis unavailable');
  });
  broker.deliver(broker.message('k', { 'x-tries': 1 }), 'a');
  await until(() => broker.settled.length === 1);
  expect(broker.sent).toEqual([
    {
      source: 'a.retry.50',
      headers: { 'x-from': 'first', 'x-tries': 2, 'x-last-error': 'the database is unavailable' },
    },
  ]);
  broker.deliver(broker.message('k', broker.sent[0]?.headers), 'a');
  await until(() => broker.settled.length === 2);
  expect([broker.settled, broker.sent.length]).toEqual([['ack', 'reject'], 1]);
  await connector.close();
});
