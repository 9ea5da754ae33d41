import { type AddressInfo, createServer } from 'node:net';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedisCluster } from '../../../../../test/support/servers/redis-cluster.ts';
import { startWatchedRedis } from '../../../../../test/support/servers/redis-sentinel.ts';
import { until } from '../../../../../test/support/until.ts';
import { describeCall } from '../../database/testing/parts.ts';
import { placeholder } from '../../intake/broker/passed-over.ts';
import { checkOperation } from './channels.ts';
import { ReplyLimit } from './reply-limit.ts';
import { ChannelBed, Outsider, redisUrl } from './testing/bed.ts';

const nothing = () => undefined;

describe.skipIf(redisUrl === undefined)('what is written of channels of Redis', () => {
  let bed: ChannelBed;
  const started: { stop(): Promise<void> }[] = [];
  beforeEach(async () => {
    bed = await ChannelBed.make();
  });
  afterEach(() => bed.close());
  afterAll(async () => void (await Promise.all(started.map((one) => one.stop()))));

  /** What the server lists of connections through the proxy. */
  async function connections(): Promise<readonly string[]> {
    const list = String(await bed.outsider.client.client('LIST'));
    return list.split('\n').filter((line) => line.includes('name=svc/0.1.0'));
  }

  test('is where the server is, who signs in, and the number of the database', async () => {
    const user = `svc-${bed.channel}`;
    await bed.outsider.client.acl('SETUSER', user, 'on', '>secret-pw', '+@all', '~*', '&*');
    const here = { url: undefined, host: '127.0.0.1', port: bed.proxy.port };
    await bed.open({ ...here, username: user, password: 'secret-pw', db: 3 });
    const own = (await connections()).filter((line) => line.includes(`user=${user} `));
    expect(own.map((line) => / db=(\d+)/.exec(line)?.[1])).toEqual(['3']);
    for (const wrong of [{ password: 'wrong-pw' }, { db: 7777 }, { port: 1 }]) {
      const failure = await bed.open({ ...here, username: user, password: 'secret-pw', ...wrong }).then(
        () => undefined,
        (error: Error) => error,
      );
      expect(failure).toMatchObject({ code: 'store_unavailable' });
      expect(failure?.message).not.toMatch(/secret-pw|wrong-pw/);
    }
    await bed.outsider.client.acl('DELUSER', user);
  });

  test('is what it subscribes to: channels and patterns', async () => {
    const pattern = `${bed.channel}.*`;
    const { taken } = await bed.open({ patterns: [pattern] }, { flows: { '': nothing } });
    await bed.publish(['c']);
    await bed.publish(['p'], `${bed.channel}.x`);
    await bed.publish(['n'], `${bed.channel}-x`);
    await bed.publish(['last']);
    await until(() => taken.some(([, { raw }]) => raw === 'last'));
    expect(taken.map(([, { raw }]) => raw)).toEqual(['c', 'p', 'last']);
  });

  test.each([1, 3])('is how many messages are handled at a time: %i', async (workers) => {
    const waiting: (() => void)[] = [];
    const hang = () => new Promise<void>((resolve) => waiting.push(resolve));
    const { connector, taken } = await bed.open({ workers }, { flows: { '': hang } });
    await bed.publish(['1', '2', '3', '4', '5']);
    await until(() => connector.source.events.unsettled === 5);
    expect(taken.map(([, { raw }]) => raw)).toEqual(['1', '2', '3', '4', '5'].slice(0, workers));
    await until(() => {
      for (const go of waiting.splice(0)) go();
      return connector.source.events.unsettled === 0;
    });
  });

  test('is the largest message that it takes: a larger one is dropped with a line that says so, and later ones come', async () => {
    const { taken } = await bed.open({ max_message: 2_000 }, { flows: { '': nothing } });
    await bed.publish(['x'.repeat(2_000)]);
    await until(() => taken.length === 1);
    await bed.publish(['y'.repeat(2_001), 'z'.repeat(300_000), 'after']);
    await until(() => taken.length === 2);
    expect(taken.map(([, { raw }]) => raw)).toEqual(['x'.repeat(2_000), 'after']);
    expect(
      bed.lines.filter(({ level }) => level === 'warn').map(({ message, fields }) => [message, fields['error']]),
    ).toEqual(
      [2_001, 300_000].map((bytes) => [
        'message dropped: another try would fail as well',
        `the message has ${bytes} bytes, more than 2000 (max_message)`,
      ]),
    );
  });

  test('is how long an answer is waited for', async () => {
    const call = describeCall('create', { operation: 'PUBLISH', target: bed.channel });
    const { connector } = await bed.open({ timeout: 200 });
    bed.proxy.fault = 'blackhole';
    await expect(connector.target.prepare(call)({ payload: {} })).rejects.toThrow(/timed out/);
  });

  test('is how long a connection is waited for', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, 'localhost', resolve));
    const url = `rediss://localhost:${(silent.address() as AddressInfo).port}`;
    await expect(bed.open({ url, timeout: 600_000, connect_timeout: 50 })).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    silent.close();
  });

  test('R-05: is how often a silent server is noticed, while nothing comes', async () => {
    const { taken } = await bed.open({ heartbeat: 50, timeout: 300 }, { flows: { '': nothing } });
    bed.proxy.silence();
    await until(async () => {
      await bed.publish(['after']);
      return taken.length > 0;
    });
    expect(bed.lines.some(({ fields }) => /timeout|timed out/.test(String(fields['reason'])))).toBe(true);
  });

  test('is how long it waits before it connects again, and how often it tries', async () => {
    await bed.open({ reconnect_delay: 10, max_reconnects: 2 }, { flows: { '': nothing } });
    bed.proxy.fault = 'refuse';
    bed.cut();
    await until(() => bed.lines.some(({ level }) => level === 'error'));
    const given = bed.lines.find(({ level }) => level === 'error');
    expect(given?.message).toBe('the broker remains unavailable: no further attempt is made');
    expect(given?.fields['attempts']).toBe(2);
  });

  test('is what a message is decoded as', async () => {
    const { taken } = await bed.open({}, { flows: { '': nothing }, words: { format: 'csv' } });
    await bed.publish(['id\n7']);
    await until(() => taken.length === 1);
    expect(taken[0]?.[1]).toMatchObject({ id: '7' });
  });

  test('is a cluster: what is published at any of its nodes is heard', async () => {
    const cluster = await startRedisCluster();
    started.push(cluster);
    const written = { url: undefined, mode: 'cluster', cluster: { nodes: [cluster.nodes[0] as string] } };
    const { connector, taken } = await bed.open(written, { flows: { '': nothing } });
    for (const [at, { client }] of cluster.masters.entries()) await client.publish(bed.channel, `{"n":${at}}`);
    const call = describeCall('create', { operation: 'PUBLISH', target: bed.channel });
    await connector.target.prepare(call)({ payload: { n: 3 } });
    await until(() => taken.length === 4);
    expect(taken.map(([, { n }]) => n).toSorted()).toEqual([0, 1, 2, 3]);
  });

  test('is the password of a cluster', async () => {
    const cluster = await startRedisCluster();
    started.push(cluster);
    const secured = (client: Redis) => client.config('SET', 'requirepass', 'cluster-pw', 'masterauth', 'cluster-pw');
    await Promise.all(cluster.masters.map(({ client }) => secured(client)));
    const open = (password: string) =>
      bed.open({ url: undefined, mode: 'cluster', cluster: { nodes: [cluster.nodes[0] as string], password } });
    await open('cluster-pw');
    await expect(open('wrong-pw')).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.not.stringContaining('-pw'),
    });
  });

  test('is a master that sentinels watch: when it is killed, messages of the next one come', async () => {
    const watched = await startWatchedRedis({ servers: 'pw-servers', sentinel: 'pw-sentinel' });
    started.push(watched);
    const sentinel = {
      nodes: [watched.node],
      master_name: 'main',
      password: 'pw-sentinel',
      master_password: 'pw-servers',
    };
    const written = { url: undefined, mode: 'sentinel', sentinel: { ...sentinel, db: 2 } };
    const { taken } = await bed.open(written, { flows: { '': nothing } });
    await watched.master.client.publish(bed.channel, 'first');
    await until(() => taken.length === 1);
    await watched.master.stop();
    const outsider = new Outsider(`redis://:pw-servers@127.0.0.1:${watched.replica.port}`);
    await until(async () => {
      await outsider.client.publish(bed.channel, 'next');
      return taken.some(([, { raw }]) => raw === 'next');
    });
    outsider.end();
    for (const wrong of [{ master_name: 'other' }, { password: 'wrong' }, { master_password: 'wrong' }, { db: 9999 }])
      await expect(bed.open({ ...written, sentinel: { ...sentinel, ...wrong } })).rejects.toMatchObject({
        code: 'store_unavailable',
      });
  });
});

describe('operations of flows', () => {
  test.each([
    [{}, 'anything', true],
    [{ channels: ['a'] }, 'a', true],
    [{ channels: ['a'] }, '*', true],
    [{ channels: ['a'] }, 'b', false],
    [{ channels: ['orders.new'] }, 'orders.*', true],
    [{ channels: ['a'] }, 'b*', false],
    [{ patterns: ['orders.*'] }, 'orders.new', true],
    [{ patterns: ['orders.*'] }, 'bills.new', false],
    [{ patterns: ['orders.*'] }, 'bills.*', true],
    [{ patterns: ['o[ab]*'] }, 'o[ab]*', true],
    [{ patterns: ['o*'] }, 'o[ab]*', false],
    [{}, 'x'.repeat(1025), false],
  ])('of %j: %s is accepted: %s', (config, operation, isAccepted) => {
    expect(checkOperation(operation, config) === undefined).toBe(isAccepted);
  });
});

test.each([1, 2, 3, 7, 1000])(
  'a text that is too large is passed over, wherever its bytes are divided: %i at a time',
  (step) => {
    const text = (body: string) =>
      `*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$${body.length}\r\n${body}\r\n>3\r\n+OK\r\n:17\r\n$-1\r\n$3\r\nabc\r\n`;
    const rewritten = (whole: string, most: number) => {
      const limit = new ReplyLimit(most);
      const pieces: Buffer[] = [];
      for (let at = 0; at < whole.length; at += step)
        pieces.push(limit.rewrite(Buffer.from(whole.slice(at, at + step))));
      return Buffer.concat(pieces).toString();
    };
    const large = text('$999\n\r\n'.repeat(20));
    expect(rewritten(large, 140)).toBe(large);
    expect(rewritten(large, 139)).toBe(text(placeholder(140).toString()));
  },
);

test('A-04: a line without an end, and more bytes than a text has, end the connection', () => {
  const problemOf = (text: string) => {
    const limit = new ReplyLimit(100);
    return [limit.rewrite(Buffer.from(text)).toString(), limit.problem?.message];
  };
  expect(problemOf('+OK\r\n$99999999999999999999999999\r\n')).toEqual([
    '+OK\r\n',
    'the server announces more bytes than a text has',
  ]);
  expect(problemOf(`+${'x'.repeat(200)}`)).toEqual(['', 'the server sent a line without an end']);
});
