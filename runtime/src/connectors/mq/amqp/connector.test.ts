import { describe, expect, test } from 'vitest';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { brokerUrl } from '../testing/broker.ts';
import { bodies, cleanups, consuming, declared, left, never, reply, said } from '../testing/consuming.ts';

describe.skipIf(brokerUrl === undefined)('a queue of RabbitMQ', () => {
  test('a message comes with body, headers, properties, routing key and exchange, and is acknowledged', async () => {
    const queue = await declared();
    const opened = await consuming(queue);
    await queue.publish([{ order: 7 }], {
      key: 'order.paid',
      messageId: 'm-1',
      correlationId: 'c-1',
      contentType: 'application/json',
      contentEncoding: 'utf-8',
      persistent: true,
      priority: 3,
      replyTo: 'answers',
      expiration: '60000',
      type: 'paid',
      appId: 'shop',
      timestamp: 1_700_000_000,
      headers: { tenant: 'north', nested: { deep: [1, true] }, raw: Buffer.from('ab'), ['__proto__']: { a: 1 } },
    });
    await until(() => opened.taken.length === 1);
    expect(opened.taken).toEqual([
      {
        body: { order: 7 },
        headers: { tenant: 'north', nested: { deep: [1, true] }, raw: 'ab' },
        properties: {
          message_id: 'm-1',
          correlation_id: 'c-1',
          content_type: 'application/json',
          content_encoding: 'utf-8',
          delivery_mode: 2,
          priority: 3,
          reply_to: 'answers',
          expiration: '60000',
          type: 'paid',
          user_id: null,
          app_id: 'shop',
          timestamp: 1_700_000_000,
          delivery_tag: 1,
          redelivered: false,
        },
        routing_key: 'order.paid',
        exchange: queue.exchange,
      },
    ]);
    expect(await left(queue, opened)).toBe(0);
  });

  test('what a message does not say is null, its time too', async () => {
    const queue = await declared();
    const opened = await consuming(queue);
    await queue.publish(['bare']);
    await until(() => opened.taken.length === 1);
    expect(opened.taken).toEqual([
      {
        body: 'bare',
        headers: {},
        properties: {
          message_id: null,
          correlation_id: null,
          content_type: null,
          content_encoding: null,
          delivery_mode: null,
          priority: null,
          reply_to: null,
          expiration: null,
          type: null,
          user_id: null,
          app_id: null,
          timestamp: null,
          delivery_tag: 1,
          redelivered: false,
        },
        routing_key: queue.name,
        exchange: '',
      },
    ]);
  });

  test('a body is JSON of any kind, else text; with a format it is decoded so', async () => {
    const queue = await declared();
    const opened = await consuming(queue, undefined, {}, [
      { operation: '*' },
      { operation: 'csv', words: { format: 'csv' } },
    ]);
    await queue.publish(['[1,"a"]', '12', 'no json', '', '{"a":1,}']);
    await queue.publish(['id,name\n1,x\n'], { key: 'csv' });
    await until(() => opened.taken.length === 6);
    expect(bodies(opened)).toEqual([
      [1, 'a'],
      12,
      'no json',
      '',
      '{"a":1,}',
      { id: '1', name: 'x', rows: [{ id: '1', name: 'x' }] },
    ]);
  });

  test('with one worker messages are handled in order; with more at the same time', async () => {
    const queue = await declared();
    let running = 0;
    let most = 0;
    /** Takes its time: until so many were at work together, and a turn of the loop in which more could come. */
    const slow = (together: number) => async () => {
      most = Math.max(most, ++running);
      await until(() => most >= together);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return reply;
    };
    const numbers = Array.from({ length: 30 }, (_, at) => at);
    await queue.publish(numbers);
    const opened = await consuming(queue, slow(1));
    await until(() => opened.taken.length === 30);
    expect([bodies(opened), most]).toEqual([numbers, 1]);
    await opened.connector.close();
    await queue.publish(numbers);
    const wide = await consuming(queue, slow(4), { consumer: { workers: 4 } });
    await until(() => wide.taken.length === 30);
    expect(most).toBe(4);
    expect(await left(queue, wide)).toBe(0);
  });

  test('R-02: the best matching flow takes a message, a message of no flow is rejected, counted, and reported once a key', async () => {
    const queue = await declared();
    const opened = await consuming(queue, undefined, {}, [{ operation: 'order.*' }, { operation: 'order.paid' }]);
    await queue.publish(['a'], { key: 'order.paid' });
    await queue.publish(['b'], { key: 'order.sent' });
    await queue.publish(['c', 'd'], { key: 'invoice' });
    await until(() => opened.undispatched.length === 2);
    expect(bodies(opened)).toEqual(['a', 'b']);
    expect(opened.undispatched[0]).toEqual(['orders', 'amqp_broker', queue.name, 'invoice']);
    expect(said(opened, 'error')).toEqual(['messages are dropped: no flow takes their key']);
    expect(said(opened, 'warn')).toEqual([
      'messages that match no flow are dropped: every flow of this source takes some only',
    ]);
    expect(said(opened, 'info').length).toBe(2);
    expect(await left(queue, opened)).toBe(0);
  });

  test('a failed message comes again after a pause that grows to a bound; others pass it meanwhile', async () => {
    const queue = await declared();
    let failures = 0;
    const opened = await consuming(queue, ({ input }) => {
      if (input['body'] === 'bad' && failures++ < 7)
        throw new Failure('connector_refused', 'the database is unavailable');
      return reply;
    });
    await queue.publish(['bad', 'good'], { messageId: undefined });
    await until(() => bodies(opened).filter((body) => body === 'bad').length === 8);
    expect(bodies(opened)[1]).toBe('good');
    const near = (wait: number) => Math.abs(Math.round(Math.log2(wait / 1000)));
    expect(opened.pauses.slice(0, 5).map(near)).toEqual([0, 1, 2, 3, 4]);
    expect(Math.max(...opened.pauses)).toBeLessThanOrEqual(30_000);
    // After five tries it went to the end of its queue, with their count.
    expect(opened.taken.map(({ headers }) => (headers as Record<string, unknown>)['x-retry-count'])).toContain(5);
    expect(await left(queue, opened)).toBe(0);
  });

  test('what the message itself causes is acknowledged with a warning; what an author says counts', async () => {
    const queue = await declared();
    const failures: Record<string, Failure> = {
      invalid: new Failure('input_invalid', 'no order'),
      refused: new Failure('upstream_error', 'HTTP 404', { upstream: { status: 404, body: '' } }),
      acked: new Failure('connector_timeout', 'late', { settle: 'ack' }),
      rejected: new Failure('connector_refused', 'away', { settle: 'reject' }),
      defect: new Failure('expression_failed', 'no such key: a'),
    };
    const opened = await consuming(queue, ({ input }) => {
      throw failures[input['body'] as string];
    });
    await queue.publish([...Object.keys(failures), Buffer.from(`[${'1,'.repeat(100_000)}1]`)]);
    await until(() => opened.taken.length >= 6 && opened.taken.at(-1)?.['body'] === 'defect');
    const dropped = opened.lines.filter(({ message }) => message.startsWith('message dropped'));
    expect(dropped.map(({ fields }) => fields['error'])).toEqual([
      'no order',
      'HTTP 404',
      'the body holds more than 100000 values',
    ]);
    expect(new Set(bodies(opened).slice(5))).toEqual(new Set(['defect']));
    expect(await left(queue, opened)).toBe(1);
  });

  test('what a gate turned away is acknowledged, rejected or put back as often as it may', async () => {
    const queue = await declared();
    const drop = (policy: 'ack' | 'reject' | 'requeue', messageId = ''): Outcome => ({
      kind: 'drop',
      reason: 'filter',
      policy,
      expression: 'false',
      messageId,
      maxRequeue: 2,
    });
    const outcomes: Record<string, Outcome> = {
      ack: drop('ack'),
      reject: drop('reject'),
      again: drop('requeue', 'id-1'),
      nameless: drop('requeue'),
    };
    const opened = await consuming(queue, ({ input }) => outcomes[input['body'] as string] ?? reply);
    await queue.publish(Object.keys(outcomes));
    await until(() => opened.taken.length === 6);
    expect(bodies(opened).toSorted()).toEqual(['ack', 'again', 'again', 'again', 'nameless', 'reject']);
    expect(said(opened, 'warn').toSorted()).toEqual([
      'message dropped: it was put back often enough',
      'message dropped: without an identity it is not put back',
    ]);
    expect(said(opened, 'debug').filter((line) => line === 'message put back by policy')).toHaveLength(2);
    expect(await left(queue, opened)).toBe(0);
  });

  test('R-66: five messages of which two fail: after a restart exactly these two return', async () => {
    const queue = await declared();
    const opened = await consuming(
      queue,
      ({ input }) => {
        if (['c', 'e'].includes(input['body'] as string)) throw new Failure('connector_refused', 'away');
        return reply;
      },
      { consumer: { workers: 5 } },
    );
    await queue.publish(['a', 'b', 'c', 'd', 'e']);
    await until(() => opened.taken.length >= 5);
    await opened.connector.close();
    const again = await consuming(queue);
    await until(() => again.taken.length === 2);
    expect(bodies(again).toSorted()).toEqual(['c', 'e']);
    expect(await left(queue, again)).toBe(0);
  });

  test('stopping takes no more, ends what it took, and gives back what it did not begin', async () => {
    const queue = await declared();
    let proceed: (() => void) | undefined;
    const opened = await consuming(queue, () => new Promise((resolve) => (proceed = () => resolve(reply))));
    await queue.publish(['a', 'b', 'c']);
    await until(() => opened.events.unsettled === 3);
    let stopped = false;
    const stopping = opened.connector.source.stop().then(() => (stopped = true));
    await until(async () => (await queue.counts()).ready === 2);
    expect([stopped, opened.events.unsettled]).toEqual([false, 1]);
    proceed?.();
    await stopping;
    expect(bodies(opened)).toEqual(['a']);
    expect(await left(queue, opened)).toBe(2);
    await opened.connector.close();
  });

  test('R-05: a cut connection is noticed, and consumed again when it heals; nothing is lost', async () => {
    const queue = await declared();
    const { hostname, port } = new URL(brokerUrl as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 5672) });
    cleanups.push(() => proxy.close());
    const url = (brokerUrl as string).replace(/@.*?(?=\/|$)/, `@127.0.0.1:${proxy.port}`);
    const opened = await consuming(queue, undefined, { url, max_reconnects: 1000 });
    await queue.publish(['a']);
    await until(() => opened.taken.length === 1);
    await opened.connector.check?.(never);
    proxy.fault = 'refuse';
    proxy.reset();
    await until(async () => (await queue.counts()).consumers === 0);
    await until(() =>
      opened.connector.check?.(never).then(
        () => false,
        () => true,
      ),
    );
    await queue.publish(['b', 'c']);
    proxy.fault = 'pass';
    await until(async () => (await queue.counts()).consumers === 1);
    await until(() => bodies(opened).includes('c'));
    await opened.connector.check?.(never);
    expect(bodies(opened).slice(-2)).toEqual(['b', 'c']);
    expect(await left(queue, opened)).toBe(0);
  });

  test('R-05: a connection over which nothing passes any more is given up', async () => {
    const queue = await declared();
    const { hostname, port } = new URL(brokerUrl as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 5672) });
    cleanups.push(() => proxy.close());
    const url = (brokerUrl as string).replace(/@.*?(?=\/|$)/, `@127.0.0.1:${proxy.port}`);
    const opened = await consuming(queue, undefined, { url, heartbeat: 1000, max_reconnects: 1000 });
    proxy.fault = 'blackhole';
    const problem = await until(() =>
      opened.connector.check?.(never).then(
        () => undefined,
        (error: Error) => error.message,
      ),
    );
    expect(problem).toMatch(/heartbeat|ECONNRESET|channel ended/i);
    proxy.fault = 'pass';
    await queue.publish(['a']);
    await until(() => opened.taken.length === 1);
    await opened.connector.check?.(never);
  });

  test('a message under way when the connection is lost is not settled twice, and comes again', async () => {
    const queue = await declared();
    const { hostname, port } = new URL(brokerUrl as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 5672) });
    cleanups.push(() => proxy.close());
    const url = (brokerUrl as string).replace(/@.*?(?=\/|$)/, `@127.0.0.1:${proxy.port}`);
    const waiting: (() => void)[] = [];
    const opened = await consuming(queue, () => new Promise((resolve) => waiting.push(() => resolve(reply))), {
      url,
      consumer: { workers: 2 },
    });
    await queue.publish(['a']);
    await until(() => waiting.length === 1);
    proxy.reset();
    await until(() => waiting.length === 2);
    expect(opened.events.unsettled).toBe(1);
    for (const go of waiting) go();
    await until(() => opened.events.unsettled === 0);
    expect(bodies(opened)).toEqual(['a', 'a']);
    expect(await left(queue, opened)).toBe(0);
  });

  test('R-05, R-73: a queue that is deleted makes the connector unhealthy until it is there again', async () => {
    const queue = await declared();
    const opened = await consuming(queue, undefined, { max_reconnects: 1000 });
    await queue.delete();
    const problem = await until(() =>
      opened.connector.check?.(never).then(
        () => undefined,
        (error: Error) => (error.message.includes('does not exist') ? error.message : undefined),
      ),
    );
    expect(problem).toContain(`queue "${queue.name}" does not exist in virtual host "/"`);
    await queue.create();
    await queue.publish(['a']);
    await until(() => opened.taken.length === 1);
    await opened.connector.check?.(never);
  });

  test('it gives up after so many attempts, says so, and stays unhealthy', async () => {
    const queue = await declared();
    const opened = await consuming(queue, undefined, { max_reconnects: 2 });
    await queue.delete();
    await until(() => said(opened, 'error').includes('the broker remains unavailable: no further attempt is made'));
    await expect(opened.connector.check?.(never)).rejects.toThrow(
      /does not exist.*; no further attempt is made since \d{4}-\d\d-\d\dT/,
    );
    await queue.create();
  });

  test('without a number of attempts there is always a further one, after pauses that grow up to 30 s', async () => {
    const queue = await declared();
    const opened = await consuming(queue, undefined, { reconnect_delay: 1_000 });
    await queue.delete();
    await until(() => opened.pauses.length > 12);
    const bases = opened.pauses.slice(0, 12).map((_, at) => Math.min(1_000 * 2 ** at, 30_000));
    for (const [at, base] of bases.entries())
      expect(Math.abs((opened.pauses[at] as number) / base - 1)).toBeLessThanOrEqual(0.2 + 1e-9);
    await queue.create();
    await queue.publish(['a']);
    await until(() => opened.taken.length === 1);
  });

  test('R-04: a missing queue ends the start, with its name, the virtual host and what would have made it', async () => {
    const queue = await declared();
    const missing = { consumer: { queue: `${queue.name}-typo` } };
    await expect(consuming(queue, undefined, missing)).rejects.toThrow(
      `queue "${queue.name}-typo" does not exist in virtual host "/": declare it at the broker first, or write create_if_missing = true in the consumer block`,
    );
  });

  test('a refused password and a closed port end the start without telling the password', async () => {
    const queue = await declared();
    const failure = async (url: string) => {
      const error = await consuming(queue, undefined, { url }).catch((each: Failure) => each);
      return (error as Failure).message;
    };
    const { host } = new URL(brokerUrl as string);
    const refused = await failure(`amqp://guest:wrong-secret@${host}`);
    expect(refused).toMatch(/ACCESS.REFUSED/);
    const closed = await failure('amqp://guest:wrong-secret@127.0.0.1:1');
    expect(closed).toMatch(/^127\.0\.0\.1:1: .*ECONNREFUSED/);
    expect(refused + closed).not.toContain('wrong-secret');
  });

  test('without a flow nothing is consumed', async () => {
    const queue = await declared();
    const opened = await consuming(queue, undefined, {}, []);
    await queue.publish(['a']);
    expect(await queue.counts()).toEqual({ ready: 1, consumers: 0 });
    expect(said(opened, 'error')).toEqual(['no flow takes the messages of this source: nothing is consumed']);
    await opened.connector.check?.(never);
  });
});
