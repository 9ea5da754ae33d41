import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Handler, NatsBed, natsUrl } from './testing/bed.ts';

const nothing: Handler = () => undefined;
const away: Handler = () => {
  throw new Failure('connector_refused', 'the database\ndoes not answer');
};

describe.skipIf(natsUrl === undefined)('consumers of streams', () => {
  let bed: NatsBed;
  let name: (suffix: string) => string;
  beforeEach(async () => {
    bed = await NatsBed.ofStream();
    name = (suffix) => `${bed.name}.${suffix}`;
  });
  afterEach(() => bed.close());

  const info = (durable = 'taking', stream = bed.name) => bed.manager.consumers.info(stream, durable);
  const consumer = (written: Record<string, unknown>) => ({ consumer: { ...bed.consumer, ...written } });
  const bodies = (taken: readonly (readonly [string, Readonly<Record<string, unknown>>])[]) =>
    taken.map(([, { body }]) => body);

  test('a flow gets body, subject, headers and the place in the stream; the best match of a subject takes it', async () => {
    const flows = { [name('eu.*')]: nothing, [name('>')]: nothing, [name('eu.new')]: nothing };
    const { taken } = await bed.open({}, { flows });
    const before = Math.floor(Date.now() / 1000);
    await bed.publish(['{"n":1}'], name('eu.new'), { tenant: 'nord', 'Nats-Msg-Id': 'm1' });
    await bed.publish(['plain'], name('eu.old'));
    await bed.publish([Uint8Array.of(0xff)], name('us'));
    await until(() => taken.length === 3);
    const [[first, input], second, third] = taken as [(typeof taken)[0], (typeof taken)[0], (typeof taken)[0]];
    expect([first, second[0], third[0]]).toEqual([name('eu.new'), name('eu.*'), name('>')]);
    expect({ ...input, timestamp: 0, headers: { ...(input['headers'] as object) } }).toEqual({
      body: { n: 1 },
      subject: name('eu.new'),
      headers: { tenant: 'nord', 'Nats-Msg-Id': 'm1' },
      stream: bed.name,
      sequence: 1,
      deliveries: 1,
      timestamp: 0,
    });
    expect(input['timestamp']).toBeGreaterThanOrEqual(before - 5);
    expect([second[1]['body'], third[1]['body']]).toEqual(['plain', Uint8Array.of(0xff)]);
  });

  test('a message is acknowledged after its flow, however long that takes', async () => {
    let release: (() => void) | undefined;
    const { connector, taken } = await bed.open(consumer({ prefetch: 1 }), {
      flows: { '': () => new Promise<void>((resolve) => (release = resolve)) },
    });
    await bed.publish(['long']);
    await until(() => release !== undefined);
    // The server delivers again after a second that which no one works at; this one is delivered in between.
    const watched = await bed.open(consumer({ workers: 1 }), { flows: { '': nothing } });
    await bed.publish(['other']);
    await until(() => bodies(watched.taken).includes('other'));
    const since = performance.now();
    await until(() => performance.now() - since > 2_500);
    expect([bodies(taken), bodies(watched.taken), (await info()).num_ack_pending]).toEqual([['long'], ['other'], 1]);
    release?.();
    await until(() => connector.source.events.unsettled === 0);
    await until(async () => (await info()).num_ack_pending === 0);
  }, 30_000);

  test.each([1, 3])(
    'prefetch and workers are how many messages are held, and handled at a time: %i',
    async (workers) => {
      const waiting: (() => void)[] = [];
      const hang = () => new Promise<void>((resolve) => waiting.push(resolve));
      const { connector, taken } = await bed.open(consumer({ workers, prefetch: 5 }), { flows: { '': hang } });
      await bed.publish(Array.from({ length: 12 }, (_, at) => `m${at}`));
      await until(() => connector.source.events.unsettled === 5 && taken.length === workers);
      expect((await info()).num_ack_pending).toBe(5);
      await until(() => {
        for (const resolve of waiting.splice(0)) resolve();
        return taken.length === 12 && connector.source.events.unsettled === 0;
      });
      expect(bodies(taken).toSorted()).toEqual(Array.from({ length: 12 }, (_, at) => `m${at}`).toSorted());
    },
  );

  test.each([
    ['subject', (key: string) => [name(key), {}] as const],
    ['header.Order', (key: string) => [name('all'), { Order: key }] as const],
  ])('R-77: messages of one %s are handled one after another, others beside them', async (orderBy, placed) => {
    const waiting = new Map<string, () => void>();
    const hang: Handler = ({ body }) => new Promise<void>((resolve) => waiting.set(body as string, resolve));
    const { connector, taken } = await bed.open(consumer({ workers: 4, order_by: orderBy }), { flows: { '': hang } });
    for (const body of ['a1', 'a2', 'b1', 'b2']) {
      const [subject, written] = placed(body[0] as string);
      await bed.publish([body], subject, written);
    }
    await until(() => connector.source.events.unsettled === 4 && taken.length === 2);
    expect(bodies(taken).toSorted()).toEqual(['a1', 'b1']);
    waiting.get('a1')?.();
    await until(() => taken.length === 3);
    expect(bodies(taken).at(-1)).toBe('a2');
    for (const body of ['b1', 'a2']) waiting.get(body)?.();
    await until(() => taken.length === 4);
    waiting.get('b2')?.();
    await until(() => connector.source.events.unsettled === 0);
  });

  test('X-16: three that share a consumer which gives out one message at a time keep its order, also when the one at work is killed', async () => {
    await bed.manager.consumers.update(bed.name, 'taking', { max_ack_pending: 1, ack_wait: 1_000_000_000 });
    const begun: unknown[] = [];
    const done: unknown[] = [];
    let underWay = 0;
    const open = () => {
      let isKilled = false;
      const flow: Handler = async ({ body }) => {
        begun.push(body);
        expect(++underWay).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        if (isKilled) throw new Failure('cancelled', 'the process is gone');
        done.push(body);
      };
      const kill = (connector: { close(cut: AbortSignal): Promise<void> }) => {
        isKilled = true;
        return connector.close(AbortSignal.abort());
      };
      return bed
        .open(consumer({ prefetch: 10, workers: 1 }), { flows: { '': flow } })
        .then((opened) => ({ ...opened, kill }));
    };
    const members = [await open(), await open(), await open()];
    const sent = Array.from({ length: 60 }, (_, at) => `m${at}`);
    const publishing = bed.publish(sent);
    for (const count of [5, 25]) {
      await until(() => begun.length > count);
      const at = members.findIndex(({ taken }) => taken.at(-1)?.[1]['body'] === begun.at(-1));
      const [member] = members.splice(at, 1) as [(typeof members)[0]];
      await member.kill(member.connector);
    }
    await publishing;
    await until(() => new Set(done).size === sent.length);
    expect([...new Set(begun)]).toEqual(sent);
    await until(async () => (await info()).num_ack_pending === 0 && (await info()).num_pending === 0);
  });

  test('R-75: after its last try a message is a dead letter: bytes, headers, why, and from where', async () => {
    const dead = `${bed.name}_dead`;
    await bed.manager.streams.add({ name: dead, subjects: [dead] });
    const dlq = { max_retries: 2, retry_delay: 20, subject: dead, retry_header: 'x-tries' };
    const flow: Handler = (input, message) => (input['body'] === 'bad' ? away(input, message) : undefined);
    const { taken } = await bed.open(consumer({ dlq }), { flows: { '': flow } });
    await bed.publish(['bad'], name('eu'), { tenant: 'nord' });
    await bed.publish(['good']);
    await until(async () => (await bed.manager.streams.info(dead)).state.messages === 1);
    const letter = await bed.manager.streams.getMessage(dead, { seq: 1 });
    const written = Object.fromEntries([...(letter?.header ?? [])].map(([key, [value]]) => [key, value]));
    expect([letter?.string(), written]).toEqual([
      'bad',
      {
        tenant: 'nord',
        'Nats-Msg-Id': expect.stringMatching(`^dead\\.${bed.name}\\.taking\\.1\\.\\d{19}$`),
        'x-last-error': 'the database does not answer',
        'x-tries': '3',
        'x-svc-stream': bed.name,
        'x-svc-subject': name('eu'),
        'x-svc-sequence': '1',
      },
    ]);
    expect(bodies(taken).filter((body) => body === 'bad')).toHaveLength(3);
    expect(taken.filter(([, { body }]) => body === 'bad').map(([, { deliveries }]) => deliveries)).toEqual([1, 2, 3]);
    await until(async () => (await info()).num_ack_pending === 0);
  });

  test('a dead letter that no stream takes now stays where it is', async () => {
    const dead = `${bed.name}_dead`;
    await bed.manager.streams.add({ name: dead, subjects: [dead] });
    const { connector } = await bed.open(consumer({ dlq: { max_retries: 0, subject: dead } }), { flows: { '': away } });
    await bed.manager.streams.delete(dead);
    await bed.publish(['bad']);
    await until(() => connector.source.events.unsettled === 0);
    expect((await info()).num_ack_pending).toBe(1);
  });

  test.each([
    ['a permanent failure', {}, () => Promise.reject(new Failure('input_invalid', 'wrong'))],
    ['a message that no flow takes', {}, undefined],
  ])('R-11: %s ends after its first try', async (_, written, flow) => {
    const flows: Record<string, Handler> = flow === undefined ? { [name('other')]: nothing } : { '': flow };
    const { connector } = await bed.open(consumer(written), { flows });
    await bed.publish(['bad']);
    await until(async () => (await info()).delivered.stream_seq === 1 && (await info()).num_ack_pending === 0);
    expect([(await info()).num_redelivered, connector.source.events.unsettled]).toEqual([0, 0]);
  });

  test('pulled one by one: the oldest message, and it waits for one', async () => {
    const { connector, taken } = await bed.open({}, { flows: { '': nothing } });
    const { events } = connector.source;
    // A message that comes while the pause begins is given back, and another one may pass it: what was asked for has come to
    // the server, and has ended.
    await until(async () => (await info()).num_waiting > 0);
    events.admit('demand');
    await until(async () => (await info()).num_waiting === 0);
    await bed.publish(['a', 'b']);
    const pull = async () => (await events.pull?.(new AbortController().signal))?.settled;
    await until(async () => (await events.waiting?.()) === 2);
    await pull();
    expect(bodies(taken)).toEqual(['a']);
    await until(async () => (await events.waiting?.()) === 1);
    await pull();
    const third = pull();
    await bed.publish(['c']);
    await third;
    expect(bodies(taken)).toEqual(['a', 'b', 'c']);
    await until(async () => (await info()).num_ack_pending === 0);
  });

  test('R-05, R-73: a consumer that is deleted makes the connector unhealthy until it is there again', async () => {
    const { connector, taken } = await bed.open({}, { flows: { '': nothing } });
    await bed.manager.consumers.delete(bed.name, 'taking');
    const check = () => connector.check?.(AbortSignal.timeout(1_000));
    await until(() =>
      Promise.resolve(check()).then(
        () => false,
        ({ message }) => /taking/.test(message),
      ),
    );
    await bed.manager.consumers.add(bed.name, { durable_name: 'taking', ack_policy: 'explicit' });
    await bed.publish(['after']);
    await until(() => bodies(taken).includes('after'));
    await until(() => Promise.resolve(check()).then(() => true));
  });
});
