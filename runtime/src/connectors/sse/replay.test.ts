import { EventSource } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { faultProxy } from '../../../../test/support/proxy.ts';
import { until } from '../../../../test/support/until.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { SseBed, type TestStream } from './testing/bed.ts';

const users = { ada: 'kept:secret', ben: 'other:secret' };
const as = (user: keyof typeof users) => ({ authorization: `Basic ${btoa(`${user}:${users[user]}`)}` });
const after = (id: string | undefined) => ({ 'last-event-id': String(id) });
const numbers = (stream: TestStream) =>
  stream.events.map(({ type, data }) => (type === 'message' ? (data as { n: number }).n : type));

describe('what a client missed', () => {
  let bed: SseBed;
  beforeEach(() => {
    bed = new SseBed();
  });
  afterEach(() => bed.close());

  const opened = (settings?: Record<string, unknown>) => bed.open({}, settings);

  test('R-84: is sent when it comes again, in order and once, and then what comes', async () => {
    const connector = await opened();
    const stream = await bed.connect();
    for (let n = 1; n <= 3; n++) await bed.push(connector, {}, { payload: { n } });
    await until(() => stream.events.length === 3);
    const ids = stream.events.map(({ id }) => id);
    stream.close();
    for (let n = 4; n <= 6; n++) await bed.push(connector, {}, { payload: { n } });
    const again = await bed.connect('', after(ids[1]));
    await bed.push(connector, {}, { payload: { n: 7 } });
    await until(() => again.events.length === 5);
    expect(numbers(again)).toEqual([3, 4, 5, 6, 7]);
    expect(again.events[0]).toEqual(stream.events[2]);
    // A page that cannot set headers says it in its address.
    const page = await bed.connect(`?last_event_id=${again.events[3]?.id}`);
    await until(() => page.events.length === 1);
    expect(numbers(page)).toEqual([7]);
  });

  test('A-01: is only what was for it: for its user, its rooms, and by the filter', async () => {
    const connector = await opened({ auth: { type: 'basic', users } });
    const first = await bed.connect('', as('ada'));
    await bed.push(connector, {}, { payload: { n: 0 } });
    await until(() => first.events.length === 1);
    const last = first.events[0]?.id;
    const source = 'context.params.region == input.region';
    const filter = {
      source,
      evaluate: ({ input, context }: Readonly<Record<string, unknown>>) =>
        (context as { params: { region: unknown } }).params.region === (input as { region: unknown }).region,
    };
    await bed.push(connector, { operation: 'send_to_user', target: 'ada' }, { payload: { n: 1 } });
    await bed.push(connector, { operation: 'send_to_user', target: 'ben' }, { payload: { n: 2 } });
    await bed.push(connector, { operation: 'stream:north' }, { payload: { n: 3 } });
    await bed.push(connector, { operation: 'stream:south' }, { payload: { n: 4 } });
    await bed.push(connector, { deferred: { filter } }, { payload: { n: 5, region: 'n' } });
    await bed.push(connector, { deferred: { filter } }, { payload: { n: 6, region: 's' } });
    const ada = await bed.connect('?room=north&region=n', { ...as('ada'), ...after(last) });
    const ben = await bed.connect('?room=south&region=s&user_id=ada', { ...as('ben'), ...after(last) });
    await bed.push(connector, {}, { payload: { n: 7 } });
    await until(() => [ada, ben].every((stream) => numbers(stream).includes(7)));
    expect([numbers(ada), numbers(ben)]).toEqual([
      [1, 3, 5, 7],
      [2, 4, 6, 7],
    ]);
  });

  test.each([
    ['more events than are kept', { events: 2 }],
    ['more memory than they may take', { size: 2 * 600 }],
  ])('is said to be incomplete when it was %s', async (_, replay) => {
    const connector = await opened({ replay });
    const stream = await bed.connect();
    for (let n = 1; n <= 5; n++) await bed.push(connector, {}, { payload: { n } });
    await until(() => stream.events.length === 5);
    const at = (n: number) => bed.connect('', after(stream.events[n - 1]?.id));
    const [missing, whole] = [await at(2), await at(3)];
    await until(() => missing.events.length === 3 && whole.events.length === 2);
    expect([numbers(missing), numbers(whole)]).toEqual([
      ['gap', 4, 5],
      [4, 5],
    ]);
    expect(missing.events[0]).toEqual({ id: undefined, type: 'gap', data: {} });
  });

  test('is kept for its time', async () => {
    let later = 0;
    const clock = { ...systemClock, now: () => Date.now() + later };
    const connector = await bed.open({}, { replay: { age: 60_000 } }, { clock });
    const stream = await bed.connect();
    for (let n = 1; n <= 2; n++) await bed.push(connector, {}, { payload: { n } });
    await until(() => stream.events.length === 2);
    const [first, second] = stream.events;
    later = 59_000;
    const early = await bed.connect('', after(first?.id));
    await until(() => early.events.length === 1);
    later = 62_000;
    const [late, upToDate] = [await bed.connect('', after(first?.id)), await bed.connect('', after(second?.id))];
    await bed.push(connector, {}, { payload: { n: 3 } });
    await until(() => numbers(late).includes(3) && numbers(upToDate).includes(3));
    expect([numbers(early).slice(0, 1), numbers(late), numbers(upToDate)]).toEqual([[2], ['gap', 3], [3]]);
  });

  test.each(['x', '-1-0', `${Date.now() + 3_600_000}-0`, '1-1', '9'.repeat(40)])(
    'A-04: %s as the last event is not one of this process: everything that is kept is sent',
    async (last) => {
      const connector = await opened();
      await bed.push(connector, {}, { payload: { n: 1 } });
      const stream = await bed.connect('', after(last));
      await until(() => stream.events.length === 2);
      expect(numbers(stream)).toEqual(['gap', 1]);
    },
  );

  test('begins with the first event, also one of the millisecond in which the connector was opened', async () => {
    // The clock advances once, after the connector was made and before it is opened.
    let looks = 0;
    const begun = Date.now();
    const clock = { ...systemClock, now: () => begun + (looks++ === 0 ? 0 : 1) };
    const connector = await bed.open({}, undefined, { clock });
    await bed.push(connector, {}, { payload: { n: 1 } });
    const stream = await bed.connect('', after('x'));
    await until(() => stream.events.length === 2);
    expect(numbers(stream)).toEqual(['gap', 1]);
  });

  test('is nothing where nothing is kept', async () => {
    const connector = await opened({ replay: { events: 0 } });
    await bed.push(connector, {}, { payload: { n: 1 } });
    const stream = await bed.connect('', after('1-1'));
    await bed.push(connector, {}, { payload: { n: 2 } });
    await until(() => stream.events.length === 1);
    expect(numbers(stream)).toEqual([2]);
  });

  test('A-05: comes as fast as it is taken, however much it is, and what is sent meanwhile comes behind it', async () => {
    const connector = await opened({ max_unsent: 100_000, replay: { events: 2000, size: '64MB' } });
    const stream = await bed.connect();
    await bed.push(connector, {}, { payload: { n: 0 } });
    await until(() => stream.events.length === 1);
    const last = stream.events[0]?.id;
    stream.close();
    const text = 'x'.repeat(8192);
    for (let n = 1; n <= 1000; n++) await bed.push(connector, {}, { payload: { n, text } });
    // The first stream may have been cut off before its end was noticed.
    bed.cuts.length = 0;
    const slow = await bed.connect('', after(last));
    slow.answer.pause();
    for (let n = 1001; n <= 1100; n++) await bed.push(connector, {}, { payload: { n } });
    slow.answer.resume();
    await until(() => slow.text.includes('{"n":1100}'));
    expect(numbers(slow)).toEqual(Array.from({ length: 1100 }, (_, at) => at + 1));
    expect(bed.cuts).toEqual([]);
  });

  test('a client of another maker comes again by itself, and misses nothing', async () => {
    const connector = await opened({ retry: 50 });
    const proxy = await faultProxy({ port: bed.port });
    const source = new EventSource(`http://127.0.0.1:${proxy.port}/events?room=a`);
    const got: number[] = [];
    let opens = 0;
    source.onopen = () => opens++;
    source.onmessage = ({ data }) => got.push((JSON.parse(data as string) as { n: number }).n);
    await until(() => opens === 1);
    for (let n = 1; n <= 30; n++) {
      if (n % 10 === 0) proxy.reset();
      await bed.push(connector, { operation: n % 2 === 0 ? 'broadcast' : 'stream:a' }, { payload: { n } });
      await until(() => n % 10 !== 5 || got.includes(n));
    }
    await until(() => got.includes(30));
    expect(got).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
    source.close();
    await proxy.close();
  });
});
