import {
  type ConnectorSpec,
  type ConnectorValues,
  isPulled,
  isRedelivered,
  type SourceSpec,
} from '@svc/protocol/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FaultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { EventSource } from '../../../foundation/contracts/events.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { Binding, BoundFlows, Source } from '../../../foundation/contracts/source.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

export type Deliver = (message: Message) => Outcome | Promise<Outcome>;

/** A connector with an event source, as tests use it. */
export type EventConnector = Connector & { readonly source: Source & { readonly events: EventSource } };

/** A place at a real broker of its own, and connectors that take its messages. */
export interface SourceBed {
  /** Says what the source promises; the suite holds it to that. */
  readonly spec: ConnectorSpec;
  /** What its connectors are configured with, as far as a promise depends on it. */
  readonly config: ConnectorValues;
  /** Makes a connector with a window of at least ten. It is neither bound nor open; the bed closes it. */
  connector(settings: { readonly workers: number }): EventConnector;
  /** The flow that takes every message of the place. */
  readonly binding: Omit<Binding, 'deliver'>;
  /** Sends texts, one after another; resolves when the broker has them. Those of two calls may be handled side by side. */
  publish(bodies: readonly string[]): Promise<void>;
  /** The text in what a flow was given. */
  textOf(input: Readonly<Record<string, unknown>>): unknown;
  /** What is between its connectors and the peer; absent where the peers are clients, which connect to them, or files. */
  readonly proxy?: FaultProxy;
  /**
   * Cuts the connections of its connectors, which may connect again at once; absent where a message under way does not
   * depend on one.
   */
  readonly cut?: (() => void) | undefined;
  close(): Promise<void>;
}

const never = new AbortController().signal;
/** What the message itself causes. */
const neverPasses = new Failure('expression_failed', 'no such key: name', { passes: 'never' });
const reply: Outcome = { kind: 'reply', value: null };

/** What every event source promises. A new one joins with one call. */
export function eventSourceConformance(name: string, makeBed: () => Promise<SourceBed>): void {
  describe(`event source ${name}`, () => {
    let bed: SourceBed;
    let opened: EventConnector[];
    beforeEach(async () => {
      bed = await makeBed();
      opened = [];
    });
    afterEach(async () => {
      await Promise.all(opened.map((connector) => connector.close()));
      await bed.close();
    });

    const redelivers = () => isRedelivered(bed.spec.source as SourceSpec, bed.config);

    /** What holds only where messages are kept. */
    const kept = (title: string, body: (skip: (reason: string) => never) => Promise<void>) =>
      test(title, async ({ skip }) => {
        skip(!redelivers(), 'no message is delivered again');
        await body(skip);
      });

    /** Opens a connector whose flow keeps the texts it is given, and does as `deliver` says. */
    async function open(deliver: Deliver = () => reply, workers = 1) {
      const connector = bed.connector({ workers });
      opened.push(connector);
      const taken: unknown[] = [];
      const flows = bind(connector, taken, deliver);
      await flows.prepare();
      await connector.open(never);
      flows.use();
      await connector.source.start();
      return { connector, source: connector.source, events: connector.source.events, taken, flows };
    }

    function bind(connector: EventConnector, taken: unknown[], deliver: Deliver): BoundFlows {
      const binding: Binding = {
        ...bed.binding,
        deliver: (message) => {
          taken.push(bed.textOf(message.input));
          return deliver(message);
        },
      };
      return connector.source.bind([binding]);
    }

    test('its name and what a debugger may ask of it are those of its spec', () => {
      const { events } = bed.connector({ workers: 1 }).source;
      const said = { type: bed.spec.canonical, pulls: isPulled(bed.spec.source as SourceSpec, bed.config) };
      expect({ type: events.type, pulls: events.pull !== undefined }).toEqual(said);
    });

    test('a message whose flow failed comes again, or never where its spec does not promise that', async () => {
      const failed = new Set<unknown>();
      const opening = await open(({ input }) => {
        const text = bed.textOf(input);
        if (text !== 'bad' || failed.has(text)) return reply;
        failed.add(text);
        throw new Failure('connector_refused', 'away');
      });
      await bed.publish(['bad', 'good']);
      const sum = redelivers() ? 3 : 2;
      await until(() => opening.taken.length >= sum && opening.events.unsettled === 0);
      expect(opening.taken.toSorted()).toEqual(redelivers() ? ['bad', 'bad', 'good'] : ['bad', 'good']);
    });

    test('R-77: with one worker messages are handled in order, and none comes again', async () => {
      const sent = Array.from({ length: 30 }, (_, at) => `m${at}`);
      const first = await open();
      await bed.publish(sent);
      await until(() => first.taken.length === 30 && first.events.unsettled === 0);
      await first.connector.close();
      const second = await open();
      await bed.publish(['last']);
      await until(() => second.taken.length > 0);
      expect([first.taken, second.taken]).toEqual([sent, ['last']]);
    });

    kept(
      'R-66, R-67: of five messages two fail: after a restart exactly these return, or everything from the first of them on',
      async () => {
        const failing = await open(({ input }) => {
          if (['b', 'd'].includes(bed.textOf(input) as string)) throw new Failure('connector_refused', 'away');
          return reply;
        }, 5);
        await bed.publish(['a', 'b', 'c', 'd', 'e']);
        await until(() => new Set(failing.taken).size === 5 && failing.events.unsettled <= 2);
        await failing.connector.close();
        const again = await open();
        const expected = bed.spec.source?.contiguous === true ? ['b', 'c', 'd', 'e'] : ['b', 'd'];
        await until(() => again.taken.length === expected.length && again.events.unsettled === 0);
        expect(again.taken.toSorted()).toEqual(expected);
      },
    );

    test('A-03: failing messages do not stop the others', async () => {
      const opening = await open(({ input }) => {
        if (String(bed.textOf(input)).startsWith('bad')) throw new Failure('connector_refused', 'away');
        return reply;
      });
      await bed.publish(['bad1', 'bad2', 'bad3', 'good1', 'good2']);
      await until(() => opening.taken.includes('good1') && opening.taken.includes('good2'));
    });

    test('R-11: as many messages that can never pass as the window holds: each is handled once, then the good one', async () => {
      const opening = await open(({ input }) => {
        if (String(bed.textOf(input)).startsWith('bad')) throw neverPasses;
        return reply;
      });
      const { prefetch = 10 } = opening.events;
      // What is sent once and not held back may not be more than the window.
      const count = redelivers() ? prefetch + 1 : Math.min(prefetch - 1, 20);
      const bad = Array.from({ length: count }, (_, at) => `bad${at}`);
      await bed.publish([...bad, 'good']);
      await until(() => opening.taken.includes('good') && opening.events.unsettled === 0);
      await opening.connector.close();
      const again = await open();
      await bed.publish(['last']);
      await until(() => again.taken.length > 0 && again.events.unsettled === 0);
      // In whichever order the source has them.
      expect([opening.taken.toSorted(), again.taken]).toEqual([[...bad, 'good'].toSorted(), ['last']]);
    });

    kept(
      'R-05, A-04: a message under way when the connection is cut comes again, and what came meanwhile too',
      async (skip) => {
        if (bed.cut === undefined) return skip('a message under way does not depend on a connection');
        const waiting: (() => void)[] = [];
        const opening = await open(() => new Promise((resolve) => waiting.push(() => resolve(reply))), 10);
        await bed.publish(['a']);
        await until(() => waiting.length === 1);
        bed.cut();
        await bed.publish(['b']);
        await until(() => opening.taken.filter((text) => text === 'a').length === 2 && opening.taken.includes('b'));
        for (const go of waiting) go();
        await until(() => opening.events.unsettled === 0);
        await until(() =>
          opening.connector.check?.(never).then(
            () => true,
            () => false,
          ),
        );
      },
    );

    test('R-79: a peer that refuses, or says nothing any more, is a typed failure; when it returns, the same connector takes messages', async ({
      skip,
    }) => {
      const { proxy } = bed;
      if (proxy === undefined) return skip('there is nothing between its connectors and a peer');
      const opening = await open();
      const check = () =>
        Promise.resolve(opening.connector.check?.(AbortSignal.timeout(500))).then(
          () => undefined,
          (error: unknown) => error,
        );
      for (const fault of ['refuse', 'blackhole'] as const) {
        proxy.fault = fault;
        if (fault === 'refuse') proxy.reset();
        const failure = await until(check);
        expect([failure instanceof Failure, (failure as Failure).code, (failure as Failure).retriable]).toEqual([
          true,
          expect.stringMatching(/^(connector_refused|connector_timeout|store_unavailable)$/),
          true,
        ]);
        if (redelivers()) await bed.publish([`during ${fault}`]);
        proxy.fault = 'pass';
        proxy.reset();
        await until(() => check().then((error) => error === undefined));
        await bed.publish([`after ${fault}`]);
        await until(() => opening.taken.includes(`after ${fault}`) && opening.events.unsettled === 0);
      }
      // What was sent into the silence may come once its time to be acknowledged is over.
      const sent = ['after refuse', 'after blackhole', ...(redelivers() ? ['during refuse', 'during blackhole'] : [])];
      await until(() => new Set(opening.taken).size === sent.length);
      expect([...new Set(opening.taken)].toSorted()).toEqual(sent.toSorted());
    });

    test('one at a time: the next is not begun before the one before it is settled', async () => {
      const waiting: (() => void)[] = [];
      const opening = await open(() => new Promise((resolve) => waiting.push(() => resolve(reply))), 4);
      opening.events.admit('single');
      await bed.publish(['a', 'b', 'c']);
      for (const count of [1, 2, 3]) {
        await until(() => waiting.length === count);
        expect(opening.taken.length).toBe(count);
        waiting[count - 1]?.();
      }
      await until(() => opening.events.unsettled === 0);
      expect(opening.taken).toEqual(['a', 'b', 'c']);
    });

    test('R-57: a stop takes nothing more and waits for what is under way, which is acknowledged', async () => {
      let proceed: (() => void) | undefined;
      const opening = await open(() => new Promise((resolve) => (proceed = () => resolve(reply))));
      await bed.publish(['a']);
      await until(() => proceed !== undefined);
      let isStopped = false;
      const stopping = opening.source.stop().then(() => (isStopped = true));
      await bed.publish(['b']);
      expect(isStopped).toBe(false);
      proceed?.();
      await stopping;
      await opening.connector.close();
      expect(opening.taken).toEqual(['a']);
      if (!redelivers()) return;
      const again = await open();
      await until(() => again.taken.length > 0);
      expect(again.taken).toEqual(['b']);
    });

    kept('A-04: when the time to stop is over, what is under way is aborted and comes again', async () => {
      const opening = await open(
        ({ signal }) => new Promise((_, reject) => signal()?.addEventListener('abort', () => reject(signal()?.reason))),
      );
      await bed.publish(['a']);
      await until(() => opening.taken.length === 1);
      const cut = new AbortController();
      const stopping = opening.source.stop(cut.signal);
      cut.abort();
      await stopping;
      await opening.connector.close();
      const again = await open();
      await until(() => again.taken.length === 1);
      expect(again.taken).toEqual(['a']);
    });

    test('R-17, A-07: bound to other flows, it hands them what comes; what was under way ends with the flows it began with', async () => {
      const waiting: (() => void)[] = [];
      const opening = await open(() => new Promise((resolve) => waiting.push(() => resolve(reply))), 4);
      await bed.publish(['a']);
      await until(() => waiting.length === 1);
      const later: unknown[] = [];
      const flows = bind(opening.connector, later, () => reply);
      await flows.prepare();
      flows.use();
      await bed.publish(['b']);
      await until(() => later.length === 1);
      let isOver = false;
      const over = opening.flows.ended().then(() => (isOver = true));
      expect(isOver).toBe(false);
      waiting[0]?.();
      await over;
      await until(() => opening.events.unsettled === 0);
      expect([opening.taken, later]).toEqual([['a'], ['b']]);
    });

    kept('with nothing acknowledged no more than the window is held, and all come when it is', async () => {
      const waiting: (() => void)[] = [];
      const opening = await open(() => new Promise((resolve) => waiting.push(() => resolve(reply))), 4);
      const { prefetch = 0 } = opening.events;
      const sent = Array.from({ length: prefetch + 10 }, (_, at) => `m${at}`);
      await bed.publish(sent);
      await until(() => waiting.length > 0);
      const most: number[] = [];
      while (opening.taken.length < sent.length || opening.events.unsettled > 0) {
        most.push(opening.events.unsettled);
        const ready = waiting.splice(0);
        for (const go of ready) go();
        await until(
          () => waiting.length > 0 || (opening.taken.length === sent.length && opening.events.unsettled === 0),
        );
      }
      expect(Math.max(...most)).toBeLessThanOrEqual(prefetch);
      expect(opening.taken.toSorted()).toEqual(sent.toSorted());
    });

    kept('acknowledged in another order than they came, messages do not return', async () => {
      const waiting = new Map<unknown, () => void>();
      const first = await open(
        ({ input }) => new Promise((resolve) => waiting.set(bed.textOf(input), () => resolve(reply))),
        5,
      );
      // One after another is handled where all are of one order; then there is nothing to acknowledge out of order.
      await bed.publish(['a', 'b', 'c', 'd', 'e']);
      await until(() => waiting.size > 0);
      while (first.taken.length < 5 || waiting.size > 0) {
        const [last] = [...waiting.keys()].toSorted().toReversed();
        waiting.get(last)?.();
        waiting.delete(last);
        await until(() => waiting.size > 0 || (first.taken.length === 5 && first.events.unsettled === 0));
      }
      await first.connector.close();
      const second = await open();
      await bed.publish(['last']);
      await until(() => second.taken.includes('last') && second.events.unsettled === 0);
      expect([first.taken.toSorted(), second.taken]).toEqual([['a', 'b', 'c', 'd', 'e'], ['last']]);
    });

    kept('stopped in the middle of many messages, it hands every one over once, the rest after a restart', async () => {
      const sent = Array.from({ length: 100 }, (_, at) => `m${at}`);
      const first = await open(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return reply;
      }, 4);
      const publishing = bed.publish(sent);
      await until(() => first.taken.length >= 20);
      await first.connector.close();
      await publishing;
      const second = await open();
      await until(() => first.taken.length + second.taken.length >= sent.length && second.events.unsettled === 0);
      expect([...first.taken, ...second.taken].toSorted()).toEqual(sent.toSorted());
    });

    kept('R-85: bound to other flows again and again while messages come, it hands every one over once', async () => {
      const sent = Array.from({ length: 100 }, (_, at) => `m${at}`);
      const opening = await open(() => reply, 4);
      const all = [opening.taken];
      const publishing = bed.publish(sent);
      const count = () => all.reduce((sum, taken) => sum + taken.length, 0);
      for (let reload = 1; reload <= 5; reload++) {
        await until(() => count() >= reload * 10);
        const taken: unknown[] = [];
        all.push(taken);
        const flows = bind(opening.connector, taken, () => reply);
        await flows.prepare();
        flows.use();
      }
      await publishing;
      await until(() => count() >= sent.length && opening.events.unsettled === 0);
      expect(all.flat().toSorted()).toEqual(sent.toSorted());
    });

    kept('the gate: on demand nothing is handed over by itself, then one at a time, then all', async () => {
      const opening = await open(() => reply, 4);
      opening.events.admit('demand');
      await bed.publish(['a', 'b', 'c']);
      expect(opening.taken).toEqual([]);
      opening.events.admit('single');
      await until(() => opening.taken.length === 3 && opening.events.unsettled === 0);
      opening.events.admit('demand');
      opening.events.admit('open');
      await bed.publish(['d', 'e']);
      await until(() => opening.taken.length === 5 && opening.events.unsettled === 0);
      expect(opening.taken.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    });

    test('the gate: from on demand to one at a time and to open again, what comes then is handed over', async () => {
      const opening = await open(() => reply, 4);
      for (const [text, ...positions] of [
        ['a', 'demand', 'single'],
        ['b', 'demand', 'open'],
        ['c', 'single', 'demand', 'open'],
      ] as const) {
        for (const position of positions) opening.events.admit(position);
        await bed.publish([text]);
        await until(() => opening.taken.includes(text) && opening.events.unsettled === 0);
      }
      expect(opening.taken).toEqual(['a', 'b', 'c']);
    });
  });
}
