import { describe, expect, test } from 'vitest';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { brokerUrl } from '../testing/broker.ts';
import { bodies, cleanups, consuming, declared, reply, said, undeclared } from '../testing/consuming.ts';

const unavailable = () => new Failure('connector_refused', 'the database is unavailable');

describe.skipIf(brokerUrl === undefined)('what is written of a queue of RabbitMQ', () => {
  /** A proxy in front of the broker; what is sent to it goes to `heard`. */
  async function proxied(heard: (piece: Buffer) => void = () => undefined) {
    const { hostname, port } = new URL(brokerUrl as string);
    const proxy = await faultProxy({ host: hostname, port: Number(port || 5672) }, heard);
    cleanups.push(() => proxy.close());
    return proxy;
  }

  test('is where the broker is, who connects, and to which virtual host', async () => {
    const queue = await declared();
    const { username, password } = new URL(brokerUrl as string);
    const { port } = await proxied();
    const right = { url: undefined, host: '127.0.0.1', port, username, password, vhost: '/' };
    const opened = await consuming(queue, undefined, right);
    await queue.publish(['a']);
    await until(() => opened.taken.length === 1);
    const refused = (written: Record<string, unknown>) =>
      expect(consuming(queue, undefined, { ...right, ...written })).rejects;
    await refused({ host: 'missing.invalid' }).toThrow(/missing\.invalid/);
    await refused({ port: 1 }).toThrow(/127\.0\.0\.1:1: .*ECONNREFUSED/);
    await refused({ username: 'unknown' }).toThrow(/ACCESS.REFUSED/);
    await refused({ password: 'wrong' }).toThrow(/ACCESS.REFUSED/);
    await refused({ vhost: 'nowhere' }).toThrow(/does not open the virtual host "nowhere" for this user/);
  });

  test('is what the broker calls the connection', async () => {
    const queue = await declared();
    let sent = '';
    const { port } = await proxied((piece) => (sent += piece.toString('latin1')));
    const url = (brokerUrl as string).replace(/@.*?(?=\/|$)/, `@127.0.0.1:${port}`);
    const called = async (written: Record<string, unknown>) => {
      sent = '';
      await (await consuming(queue, undefined, { url, ...written })).connector.close();
      // A long string of a table: its kind, its length, and its bytes.
      return /connection_nameS\0\0\0.([a-z]+)/s.exec(sent)?.[1];
    };
    expect([await called({}), await called({ connection_name: 'shop' })]).toEqual(['orders', 'shop']);
  });

  test('is the largest message that it takes', async () => {
    const queue = await declared();
    await queue.publish(['x'.repeat(2000)]);
    const narrow = await consuming(queue, undefined, { max_message: 1024, max_reconnects: 0 });
    await until(() => said(narrow, 'warn').length > 0);
    expect(narrow.taken).toEqual([]);
    await narrow.connector.close();
    await queue.publish(['x'.repeat(2000)]);
    const wide = await consuming(queue, undefined, { max_message: 4096 });
    await until(() => wide.taken.length === 1);
  });

  test('is how long it waits before it connects again', async () => {
    const waited = async (delay: number) => {
      const queue = await declared();
      const opened = await consuming(queue, undefined, { reconnect_delay: delay, max_reconnects: 2 });
      await queue.delete();
      await until(() => opened.pauses.length > 0);
      await queue.create();
      return Math.abs((opened.pauses[0] as number) / delay - 1);
    };
    for (const delay of [1000, 8000]) expect(await waited(delay)).toBeLessThanOrEqual(0.2 + 1e-9);
  });

  test.each([
    ['dead', 'given.up', 1, 'x-tries'],
    ['lost', 'put.aside', 2, 'x-count'],
  ])('is where dead letters go: %s under %s after %i tries, counted in %s', async (name, key, tries, header) => {
    const queue = await undeclared();
    const dlq = {
      exchange: `${queue.name}.${name}x`,
      queue: `${queue.name}.${name}`,
      routing_key: key,
      max_retries: tries,
      retry_delay: 20,
      retry_header: header,
    };
    const fails = () => {
      throw unavailable();
    };
    const opened = await consuming(queue, fails, { consumer: { create_if_missing: true, dlq } });
    await queue.publish(['a']);
    const { fields, properties } = await until(() => queue.deadLetter(`.${name}`));
    expect([fields.exchange, fields.routingKey, properties.headers?.[header]]).toEqual([dlq.exchange, key, tries]);
    expect(bodies(opened)).toEqual(Array(1 + tries).fill('a'));
  });

  test('is whether there are dead letters', async () => {
    const queue = await undeclared();
    let failures = 0;
    const fails = () => {
      if (++failures > 3) return reply;
      throw unavailable();
    };
    const without = { create_if_missing: true, dlq: { enabled: false, max_retries: 0 } };
    const opened = await consuming(queue, fails, { consumer: without });
    await queue.publish(['a']);
    await until(() => opened.taken.length === 4);
  });

  test.each([0, 2])('is how many tries follow the first one: %i', async (count) => {
    const queue = await undeclared();
    const fails = () => {
      throw unavailable();
    };
    const opened = await consuming(queue, fails, { consumer: { create_if_missing: true, retry_count: count } });
    await queue.publish(['a']);
    await until(() => queue.deadLetter());
    expect(opened.taken.length).toBe(1 + count);
  });
});
