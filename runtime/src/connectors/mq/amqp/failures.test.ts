import { describe, expect, test } from 'vitest';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { brokerUrl } from '../testing/broker.ts';
import { bodies, cleanups, consuming, declared, left, never, reply, said, undeclared } from '../testing/consuming.ts';
import { sizeForgingBroker } from '../testing/size-forging-broker.ts';

/** Of the frame that publishes a message (AMQP 0-9-1, class 60, method 40). */
const publishMethod = Buffer.from([0, 60, 0, 40]);
const unavailable = () => new Failure('connector_refused', 'the database is unavailable');
const invalid = () => new Failure('input_invalid', 'no order');

describe.skipIf(brokerUrl === undefined)('failing messages of a queue', () => {
  test('A-03, R-75: as many failing messages as the window holds do not stop the others', async () => {
    const queue = await declared();
    const opened = await consuming(
      queue,
      ({ input }) => {
        if (String(input['body']).startsWith('bad')) throw unavailable();
        return reply;
      },
      { consumer: { prefetch: 4 } },
    );
    await queue.publish([...Array.from({ length: 8 }, (_, at) => `bad${at}`), 'good']);
    await until(() => bodies(opened).includes('good'));
    expect(await left(queue, opened)).toBe(8);
  });

  test('with a window of one messages keep their order, and deliveries pause while the first fails', async () => {
    const queue = await declared();
    let isUnavailable = true;
    const opened = await consuming(
      queue,
      () => {
        if (isUnavailable) throw unavailable();
        return reply;
      },
      { consumer: { prefetch: 1 } },
    );
    await queue.publish(['a', 'b', 'c']);
    await until(() => opened.taken.length >= 3);
    expect(new Set(bodies(opened))).toEqual(new Set(['a']));
    isUnavailable = false;
    await until(() => bodies(opened).includes('c'));
    expect(bodies(opened).slice(-3)).toEqual(['a', 'b', 'c']);
    expect(await left(queue, opened)).toBe(0);
  });

  test('R-72: while everything fails deliveries pause, and continue by themselves; nothing is lost', async () => {
    const queue = await declared();
    let isUnavailable = true;
    const opened = await consuming(
      queue,
      () => {
        if (isUnavailable) throw unavailable();
        return reply;
      },
      { consumer: { prefetch: 4, workers: 4 } },
    );
    const sent = Array.from({ length: 20 }, (_, at) => at);
    await queue.publish(sent);
    const rest = 'deliveries pause: one message after another fails';
    await until(() => said(opened, 'warn').filter((message) => message === rest).length >= 5);
    expect(opened.events.unsettled).toBeLessThanOrEqual(4);
    isUnavailable = false;
    opened.taken.length = 0;
    await until(async () => (await queue.counts()).ready === 0 && opened.events.unsettled === 0);
    expect(new Set(bodies(opened))).toEqual(new Set(sent));
    expect([await left(queue, opened), opened.mostHeld()]).toEqual([0, 4]);
  });

  test('R-75: after its last try a message is a dead letter, with its bytes, headers and the count of its tries', async () => {
    const queue = await undeclared();
    const opened = await consuming(
      queue,
      ({ input }) => {
        if (input['body'] === 'good') return reply;
        throw unavailable();
      },
      { consumer: { create_if_missing: true, dlq: { max_retries: 2, retry_delay: 20 } } },
    );
    const bytes = Buffer.from('{"a": 1 , "b":2}');
    await queue.publish([bytes, 'good'], { headers: { tenant: 'north' }, messageId: 'm-1', contentType: 'text/x' });
    const dead = await until(() => queue.deadLetter());
    expect([dead.content.toString(), dead.properties.messageId, dead.properties.contentType]).toEqual([
      '{"a": 1 , "b":2}',
      'm-1',
      'text/x',
    ]);
    expect(dead.properties.headers).toMatchObject({
      tenant: 'north',
      'x-retry-count': 2,
      'x-last-error': 'the database is unavailable',
      'x-first-death-queue': `${queue.name}.retry.20`,
    });
    expect(bodies(opened).filter((body) => body !== 'good')).toEqual([
      { a: 1, b: 2 },
      { a: 1, b: 2 },
      { a: 1, b: 2 },
    ]);
    expect(await left(queue, opened)).toBe(0);
  });

  test('R-11: what fails in every try is a dead letter after its first', async () => {
    const queue = await undeclared();
    const opened = await consuming(
      queue,
      () => {
        throw invalid();
      },
      { consumer: { create_if_missing: true, retry_count: 5 } },
    );
    await queue.publish(['x']);
    const dead = await until(() => queue.deadLetter());
    expect([dead.content.toString(), opened.taken.length]).toEqual(['x', 1]);
  });

  test('a message that comes back is dispatched by the exchange and key that it was published to', async () => {
    const queue = await declared();
    let failures = 0;
    const opened = await consuming(
      queue,
      () => {
        if (failures++ < 2) throw unavailable();
        return reply;
      },
      { consumer: { dlq: { external: true } } },
      [{ operation: 'order.*' }],
    );
    await queue.publish(['a'], { key: 'order.paid' });
    await until(() => opened.taken.length === 3);
    expect(opened.taken.map(({ routing_key, exchange }) => [routing_key, exchange])).toEqual(
      Array.from({ length: 3 }, () => ['order.paid', queue.exchange]),
    );
    expect(await left(queue, opened)).toBe(0);
  });

  test('a queue that exists is left as it is, with a warning that its rejected messages may be discarded', async () => {
    const queue = await declared();
    const opened = await consuming(queue, undefined, { consumer: { create_if_missing: true, dlq: {} } });
    expect(said(opened, 'warn')).toEqual([
      'the queue exists without the dead letters of this configuration: rejected messages are discarded unless a policy of the broker keeps them; write external = true in the dlq block when one does',
    ]);
    const quiet = await consuming(queue, undefined, { consumer: { dlq: { external: true } } });
    expect(said(quiet, 'warn')).toEqual([]);
  });

  test('a queue that was declared here is declared again without a warning', async () => {
    const queue = await undeclared();
    const written = { consumer: { create_if_missing: true, dlq: {} } };
    await (await consuming(queue, undefined, written)).connector.close();
    expect(said(await consuming(queue, undefined, written), 'warn')).toEqual([]);
  });

  test('A-04: a connection whose bytes arrive corrupted is given up, and messages come over another one', async () => {
    const queue = await declared();
    const { hostname, port } = new URL(brokerUrl as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 5672) });
    cleanups.push(() => proxy.close());
    const url = (brokerUrl as string).replace(/@.*?(?=\/|$)/, `@127.0.0.1:${proxy.port}`);
    const opened = await consuming(queue, undefined, { url, max_reconnects: 1000 });
    proxy.fault = 'corrupt';
    await queue.publish(['a', 'b']);
    await until(() =>
      opened.connector.check?.(AbortSignal.timeout(200)).then(
        () => false,
        () => true,
      ),
    );
    proxy.fault = 'pass';
    await until(() => new Set(bodies(opened)).size === 2 && opened.events.unsettled === 0);
    await until(() =>
      opened.connector.check?.(never).then(
        () => true,
        () => false,
      ),
    );
    expect(await left(queue, opened)).toBe(0);
  });

  test.each([
    ['goes to the dead letters of its queue as it is', { create_if_missing: true, dlq: {} }, true],
    ['is acknowledged', { create_if_missing: true }, false],
  ])('a message that is larger than it may be %s, over the same connection', async (_, consumer, kept) => {
    const queue = await undeclared();
    const opened = await consuming(queue, undefined, { max_message: 1024, consumer });
    const large = 'x'.repeat(300_000);
    const sent = ['before', large, '', large, 'a'.repeat(1024), 'after'];
    await queue.publish(sent);
    await until(() => bodies(opened).includes('after') && opened.events.unsettled === 0);
    expect(bodies(opened)).toEqual(['before', '', 'a'.repeat(1024), 'after']);
    const warnings = opened.lines.filter(({ level, fields }) => level === 'warn' && fields['error'] !== undefined);
    expect(warnings.map(({ fields }) => fields['error'])).toEqual(
      Array.from({ length: 2 }, () => 'the message has 300000 bytes, more than 1024 (max_message)'),
    );
    if (kept) for (const _ of [1, 2]) expect((await until(() => queue.deadLetter())).content.toString()).toBe(large);
    expect(opened.lines.filter(({ message }) => message.includes('reconnecting'))).toEqual([]);
    expect(await left(queue, opened)).toBe(0);
  });

  test.each([
    ['with a queue block', { queue: {} }],
    ['without one', {}],
  ])('a message whose sender wrote the header of streams is in the dead letters of its queue: %s', async (_, over) => {
    const queue = await undeclared();
    const refused = () => {
      throw invalid();
    };
    const opened = await consuming(queue, refused, { ...over, consumer: { create_if_missing: true, dlq: {} } });
    await queue.publish(['a'], { headers: { 'x-stream-offset': 7 } });
    expect((await until(() => queue.deadLetter())).content.toString()).toBe('a');
    expect(await left(queue, opened)).toBe(0);
  });

  test.each([
    ['a body of a terabyte', 2n ** 40n, /more than 134217728 bytes \(max_message\)/],
    ['fewer bytes than come', 1n, /./],
    ['one byte more than comes', 4n, /./],
  ])(
    'A-04: a broker that announces %s is left, and the message comes over another connection',
    async (_, size, why) => {
      const queue = await declared();
      const broker = await sizeForgingBroker(brokerUrl as string, size);
      cleanups.push(() => broker.close());
      const opened = await consuming(queue, undefined, { url: broker.url, max_reconnects: 1000 });
      await queue.publish(['abc', 'def']);
      await until(() => new Set(bodies(opened)).size === 2 && opened.events.unsettled === 0);
      expect(bodies(opened).toSorted()).toEqual(['abc', 'def']);
      const [first] = opened.lines.filter(({ message }) => message === 'the broker is unavailable; reconnecting');
      expect(String(first?.fields['reason'])).toMatch(why);
      expect(broker.connected).toBe(2);
    },
  );

  test('without a queue of its own it consumes the queues that its flows name, whatever their routing keys are', async () => {
    const [one, two] = [await declared(), await declared()];
    const opened = await consuming(one, undefined, { consumer: { queue: undefined } }, [
      { operation: one.name },
      { operation: two.name },
    ]);
    await one.publish(['a'], { key: 'x.y' });
    await two.publish(['b']);
    await until(() => opened.taken.length === 2);
    expect(opened.taken.map(({ body, routing_key }) => [body, routing_key]).toSorted()).toEqual([
      ['a', 'x.y'],
      ['b', two.name],
    ]);
    expect([opened.events.name, opened.undispatched]).toEqual([`${one.name},${two.name}`, []]);
  });

  test('pulls are served in the order in which they were asked for', async () => {
    const queue = await declared();
    const opened = await consuming(queue);
    opened.events.admit('demand');
    const order: string[] = [];
    const pull = (who: string) =>
      opened.events.pull?.(never).then(({ settled }) => settled.then(() => order.push(who)));
    const pulls = ['first', 'second', 'third'].map(pull);
    await queue.publish(['a', 'b', 'c']);
    await Promise.all(pulls);
    expect([order, bodies(opened)]).toEqual([
      ['first', 'second', 'third'],
      ['a', 'b', 'c'],
    ]);
  });

  test('R-39: a message that is given back when the service stops is in its queue once', async () => {
    const queue = await declared();
    const { hostname, port } = new URL(brokerUrl as string);
    // The broker takes the copy; what it says of that is on its way when the connection closes.
    const proxy = await faultProxy({ host: hostname, port: Number(port || 5672) }, (piece) => {
      if (piece.includes(publishMethod)) proxy.fault = 'hold';
    });
    cleanups.push(() => proxy.close());
    const url = (brokerUrl as string).replace(/@.*?(?=\/|$)/, `@127.0.0.1:${proxy.port}`);
    const opened = await consuming(
      queue,
      async () => {
        opened.events.admit('demand');
        await until(async () => (await queue.counts()).consumers === 0);
        throw unavailable();
      },
      { url, consumer: { prefetch: 4, retry_count: 5, dlq: { external: true } } },
    );
    await queue.publish(['bad']);
    await until(() => proxy.fault === 'hold');
    const remaining = left(queue, opened);
    await new Promise((resolve) => setImmediate(resolve));
    proxy.fault = 'pass';
    expect(await remaining).toBe(1);
    expect(bodies(opened)).toEqual(['bad']);
  });

  test('when the time to stop is over, what is under way is aborted and comes again', async () => {
    const queue = await declared();
    const opened = await consuming(
      queue,
      ({ signal }) =>
        new Promise<Outcome>((_, reject) => {
          signal()?.addEventListener('abort', () => reject(signal()?.reason));
        }),
    );
    await queue.publish(['a']);
    await until(() => opened.taken.length === 1);
    const cut = new AbortController();
    const stopped = opened.connector.source.stop(cut.signal);
    cut.abort();
    await stopped;
    expect(await left(queue, opened)).toBe(1);
  });
});
