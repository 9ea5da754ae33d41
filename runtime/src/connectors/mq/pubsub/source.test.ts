import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { ChannelBed, type Handler, redisUrl } from './testing/bed.ts';

const nothing: Handler = () => undefined;

describe.skipIf(redisUrl === undefined)('channels of Redis as a source', () => {
  let bed: ChannelBed;
  /** Names of this test alone. */
  let name: (suffix: string) => string;
  beforeEach(async () => {
    bed = await ChannelBed.make();
    name = (suffix) => `${bed.channel}.${suffix}`;
  });
  afterEach(() => bed.close());

  test('the channel itself wins, then the pattern that it came by, then the glob that fits best, then `*`', async () => {
    const patterns = [name('orders.*'), name('bills.*'), name('other.*')];
    const flows = {
      [name('orders.new')]: nothing,
      [name('orders.*')]: nothing,
      [name('bills.1*')]: nothing,
      [name('b*')]: nothing,
      '*': nothing,
    };
    const { taken } = await bed.open({ channels: [], patterns }, { flows });
    for (const suffix of ['orders.new', 'orders.old', 'bills.17', 'bills.2', 'other.x'])
      await bed.publish(['m'], name(suffix));
    await until(() => taken.length === 5);
    expect(taken.map(([flow, { _channel }]) => [flow, _channel])).toEqual([
      [name('orders.new'), name('orders.new')],
      [name('orders.*'), name('orders.old')],
      [name('bills.1*'), name('bills.17')],
      [name('b*'), name('bills.2')],
      ['*', name('other.x')],
    ]);
  });

  test('fields of an object are variables; anything else is `raw`, as text or bytes', async () => {
    const { taken } = await bed.open({}, { flows: { '': nothing } });
    await bed.publish(['{"n":1,"_channel":"forged"}', '[1, 2]', '17', 'plain', '', '"text"', Buffer.of(0xff, 0xfe)]);
    await until(() => taken.length === 7);
    const _channel = bed.channel;
    expect(taken.map(([, input]) => ({ ...input }))).toEqual([
      { n: 1, _channel },
      { raw: '[1, 2]', _channel },
      { raw: '17', _channel },
      { raw: 'plain', _channel },
      { raw: '', _channel },
      { raw: '"text"', _channel },
      { raw: Uint8Array.of(0xff, 0xfe), _channel },
    ]);
  });

  test('a message that matches a channel and a pattern comes once for each', async () => {
    const pattern = `${bed.channel}*`;
    const { taken } = await bed.open({ patterns: [pattern] }, { flows: { '': nothing } });
    await bed.publish(['{"n":1}']);
    await until(() => taken.length === 2);
    expect(taken.map(([, { _pattern }]) => _pattern).toSorted()).toEqual([pattern, undefined]);
  });

  test('without channels of its own it subscribes to what its flows name, and follows them', async () => {
    const first = { [name('a')]: nothing, [name('b.[xy]*')]: nothing };
    const { connector, taken, bind } = await bed.open({ channels: undefined }, { flows: first });
    expect(connector.source.events.name).toBe(`${name('a')},${name('b.[xy]*')}`);
    for (const suffix of ['a', 'b.x1', 'b.z1', 'c']) await bed.publish(['m'], name(suffix));
    await until(() => taken.length === 2);
    const next = bind({ [name('c')]: nothing, [name('a')]: nothing });
    await next.prepare();
    next.use();
    await until(async () => {
      await bed.publish(['m'], name('c'));
      return taken.some(([flow]) => flow === name('c'));
    });
    await bed.publish(['m'], name('b.x1'));
    await bed.publish(['last'], name('a'));
    await until(() => taken.some(([, { raw }]) => raw === 'last'));
    expect(taken.slice(2).filter(([flow]) => flow !== name('c'))).toHaveLength(1);
  });

  test('a flow without an operation takes every channel, where the connector names none', async () => {
    const { taken } = await bed.open({ channels: undefined }, { flows: { '': nothing } });
    await bed.publish(['{"mine":true}'], name('any'));
    await until(() => taken.some(([, { mine }]) => mine === true));
    expect(taken.find(([, { mine }]) => mine === true)?.[1]).toMatchObject({ _channel: name('any'), _pattern: '*' });
  });

  test('it delivers at most once and says so: what failed is logged and is over, what came unheard is lost', async () => {
    const fail = () => {
      throw new Failure('connector_refused', 'away');
    };
    const { connector, taken } = await bed.open({}, { flows: { '': fail } });
    await bed.publish(['a', 'b']);
    await until(() => taken.length === 2 && connector.source.events.unsettled === 0);
    expect(bed.lines.filter(({ message }) => message === 'message failed')).toHaveLength(2);
    const notice = 'messages are delivered at most once: the server keeps none';
    expect(bed.lines.filter(({ message, level }) => message === notice && level === 'info')).toHaveLength(1);
    bed.proxy.fault = 'refuse';
    bed.cut();
    await until(() => bed.lines.some(({ message }) => message === 'the broker is unavailable; reconnecting'));
    await bed.publish(['lost']);
    bed.proxy.fault = 'pass';
    await until(async () => {
      await bed.publish(['again']);
      return taken.some(([, { raw }]) => raw === 'again');
    });
    expect(taken.map(([, { raw }]) => raw)).not.toContain('lost');
  });

  test('A-03: as many wait as the window holds; further ones are dropped, logged once, and those that wait are handled', async () => {
    const waiting: (() => void)[] = [];
    const hang = () => new Promise<void>((resolve) => waiting.push(resolve));
    const { connector, taken } = await bed.open({ prefetch: 10 }, { flows: { '': hang } });
    await bed.publish(Array.from({ length: 40 }, (_, at) => `${at}`));
    await until(() => bed.dropped === 29);
    await until(() => {
      for (const go of waiting.splice(0)) go();
      return connector.source.events.unsettled === 0;
    });
    expect(taken.map(([, { raw }]) => raw)).toEqual(Array.from({ length: 11 }, (_, at) => `${at}`));
    expect(bed.lines.filter(({ message }) => message.startsWith('messages are dropped'))).toHaveLength(1);
  });

  test('a server that refuses a channel ends the start, and says which user may not', async () => {
    const user = `svc-${bed.channel}`;
    await bed.outsider.client.acl('SETUSER', user, 'on', '>secret-pw', '+@all', '~*', 'resetchannels', '&allowed');
    try {
      const url = `redis://${user}:secret-pw@127.0.0.1:${bed.proxy.port}`;
      const failure = await bed.open({ url, channels: ['denied'] }, { flows: { '': nothing } }).then(
        () => undefined,
        (error: Error) => error,
      );
      expect(failure?.message).toMatch(/NOPERM/);
      expect(failure?.message).not.toContain('secret-pw');
      await bed.open({ url, channels: ['allowed'] }, { flows: { '': nothing } });
    } finally {
      await bed.outsider.client.acl('DELUSER', user);
    }
  });
});
