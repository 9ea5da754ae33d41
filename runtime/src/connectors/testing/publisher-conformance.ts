import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import type { FaultProxy } from '../../../../test/support/proxy.ts';
import { until } from '../../../../test/support/until.ts';
import type { CallDescription, CallRequest, Execute } from '../../foundation/contracts/target.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import type { TargetConnector } from './target-conformance.ts';

/** A message as the place at the broker has it. */
export interface Received {
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A place at a real broker of its own, and connectors that send messages to it through a proxy. */
export interface PublisherBed {
  /** Makes a connector that connects again at once. It is not open; the suite closes it. */
  connector(services: ReturnType<typeof connectorServices>): TargetConnector;
  /** A call that sends to the place. */
  readonly call: Partial<CallDescription>;
  /** What `params` say of the headers of a message. */
  headers(headers: Readonly<Record<string, string>>): CallRequest['params'];
  /** A call whose message no queue takes, which the broker says; absent where it does not. */
  readonly unroutable?: Partial<CallDescription> | undefined;
  /** Everything that came to the place, in order. */
  readonly received: readonly Received[];
  readonly proxy: FaultProxy;
  close(): Promise<void>;
}

const never = new AbortController().signal;

/** What every connector promises that sends messages to a broker. A new one joins with one call. */
export function publisherConformance(name: string, makeBed: () => Promise<PublisherBed>): void {
  describe(`publisher ${name}`, () => {
    let bed: PublisherBed;
    let made: TargetConnector[];
    beforeEach(async () => {
      bed = await makeBed();
      made = [];
    });
    afterEach(async () => {
      bed.proxy.fault = 'pass';
      await Promise.all(made.map((connector) => connector.close(AbortSignal.abort())));
      await bed.close();
    });

    async function open() {
      const connector = bed.connector(connectorServices());
      made.push(connector);
      await connector.open(never);
      return connector;
    }

    const prepare = ({ target }: TargetConnector, call: Partial<CallDescription> = {}): Execute =>
      target.prepare({
        verb: 'create',
        operation: undefined,
        target: undefined,
        query: undefined,
        timeout: undefined,
        exact: false,
        flow: 'f',
        label: 'to',
        ...bed.call,
        ...call,
      });

    const bodies = () => bed.received.map(({ content }) => content.toString());

    test('what was answered for is there: once, in order, with its body and headers', async () => {
      const publish = prepare(await open());
      const headers = { tenant: 'nörth', 'x-empty': '' };
      const answered = await publish({ payload: { n: 1, text: 'ä€😀' }, params: bed.headers(headers) });
      expect(answered.affected).toBe(1);
      for (const n of [2, 3, 4]) await publish({ payload: { n } });
      await until(() => bed.received.length === 4);
      expect(bodies()).toEqual(['{"n":1,"text":"ä€😀"}', '{"n":2}', '{"n":3}', '{"n":4}']);
      expect(Object.entries(bed.received[0]?.headers ?? {})).toEqual(
        expect.arrayContaining([
          ['tenant', 'nörth'],
          ['x-empty', ''],
        ]),
      );
    });

    test('bytes are sent as they are', async () => {
      const publish = prepare(await open(), { binary: true });
      const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
      await publish({ payload: { _binary: bytes, _content_type: 'application/octet-stream' } });
      await until(() => bed.received.length === 1);
      expect(new Uint8Array(bed.received[0]?.content as Buffer)).toEqual(bytes);
    });

    test('P-09: any number of messages is on its way before the first one is confirmed', async () => {
      const publish = prepare(await open());
      await publish({ payload: { n: 0 } });
      bed.proxy.fault = 'hold';
      let settled = 0;
      const sent = Array.from({ length: 100 }, (_, at) => publish({ payload: { n: at + 1 } }));
      for (const each of sent) void Promise.resolve(each).then(() => settled++);
      await until(() => bed.received.length === 101);
      expect(settled).toBe(0);
      bed.proxy.fault = 'pass';
      await Promise.all(sent);
      expect(bodies()).toEqual(Array.from({ length: 101 }, (_, at) => `{"n":${at}}`));
    });

    test('R-07: what no queue takes is a failure, and no other message is affected', async ({ skip }) => {
      const { unroutable } = bed;
      if (unroutable === undefined) return skip('the broker does not say it');
      const connector = await open();
      const [publish, lose] = [prepare(connector), prepare(connector, unroutable)];
      const outcomes = await Promise.allSettled(
        Array.from({ length: 60 }, (_, at) => (at % 3 === 1 ? lose : publish)({ payload: { at } })),
      );
      const failed = outcomes.flatMap((outcome, at) => (outcome.status === 'rejected' ? [at] : []));
      expect(failed).toEqual(Array.from({ length: 20 }, (_, at) => at * 3 + 1));
      const [first] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Failure] : []));
      expect(first?.code).toBe('connector_failed');
      await until(() => bed.received.length === 40);
    });

    test('A-10, R-81: what was sent and not confirmed when the connection is lost may be there, and says so', async () => {
      const publish = prepare(await open());
      await publish({ payload: { n: 'first' } });
      bed.proxy.fault = 'hold';
      const sent = ['a', 'b', 'c'].map((n) => failureOf(publish({ payload: { n } })));
      await until(() => bed.received.length === 4);
      bed.proxy.reset();
      bed.proxy.fault = 'pass';
      const failures = await Promise.all(sent);
      expect(failures.map(({ code, retriable }) => [code, retriable])).toEqual(
        Array(3).fill(['outcome_unknown', true]),
      );
      await until(() => Promise.resolve(publish({ payload: { n: 'after' } })).then(() => true));
      await until(() => bodies().includes('{"n":"after"}'));
    });

    test('while the broker is unavailable nothing is sent, and every message fails at once', async () => {
      const publish = prepare(await open());
      await publish({ payload: { n: 'first' } });
      bed.proxy.fault = 'refuse';
      bed.proxy.reset();
      const failure = await until(() => failureOf(publish({ payload: { n: 'away' } })));
      expect([failure.code, failure.retriable]).toEqual([
        expect.stringMatching(/connector_refused|outcome_unknown/),
        true,
      ]);
      const { code } = await until(async () => {
        const later = await failureOf(publish({ payload: { n: 'away' } }));
        return later.code === 'connector_refused' ? later : undefined;
      });
      expect(code).toBe('connector_refused');
      bed.proxy.fault = 'pass';
      await until(() => Promise.resolve(publish({ payload: { n: 'back' } })).then(() => true));
      await until(() => bodies().includes('{"n":"back"}'));
      expect(bodies().filter((body) => body.includes('away')).length).toBeLessThanOrEqual(1);
    });

    test('a message that is not confirmed in its time may be there, and says so', async () => {
      const connector = await open();
      const publish = prepare(connector, { timeout: 100 });
      await prepare(connector)({ payload: { n: 'first' } });
      bed.proxy.fault = 'hold';
      const failure = await failureOf(publish({ payload: { n: 'late' } }));
      expect([failure.code, failure.retriable]).toEqual(['outcome_unknown', true]);
      await until(() => bed.received.length === 2);
    });
  });
}

async function failureOf(work: unknown): Promise<Failure> {
  return Promise.resolve(work).then(
    () => expect.fail('it did not fail'),
    (error: Failure) => error,
  );
}
