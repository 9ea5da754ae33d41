import type { ConnectorSpec } from '@svc/protocol/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectorServices, type LogLine, recordingLog } from '../../../../test/support/connector-services.ts';
import type { FaultProxy } from '../../../../test/support/proxy.ts';
import { until } from '../../../../test/support/until.ts';
import type { Connector, ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest, Execute, Target } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { failures } from '../../foundation/errors/failures.ts';

/** A connector with a target, as tests use it. */
export type TargetConnector = Connector & { readonly target: Target };

/** A call that the other end leaves without an answer until `release`. */
export interface StuckCall {
  readonly call: Partial<CallDescription>;
  readonly request: CallRequest;
  /** From now on the other end leaves the call without an answer; absent where it does so from the beginning. */
  hold?(): Promise<void>;
  /** Whether a call that was made waits for its answer. */
  begun(): boolean | Promise<boolean>;
  /** From now on calls are answered, those that wait too. */
  release(): void | Promise<void>;
  /** Whether the other end still works on a call that was given up. */
  isLeft(): boolean | Promise<boolean>;
}

/** A place at a real server of its own, and connectors that call it. */
export interface TargetBed {
  readonly spec: ConnectorSpec;
  /** Makes a connector that is not open. Its maker closes it. */
  connector(services: ConnectorServices): TargetConnector;
  /** The call that `echo` executes. */
  readonly call: Partial<CallDescription>;
  /** Asks with a text, and resolves with the text that it did something with. */
  echo(execute: Execute, text: string): Promise<unknown>;
  /** Calls that are made side by side, where each of them costs much; absent: 200. */
  readonly sideBySide?: number | undefined;
  /** Absent where no call waits. */
  readonly stuck?: StuckCall | undefined;
  /** The proxy before the server; absent where there is no proxy. */
  readonly proxy?: FaultProxy | undefined;
  /** Operations that mean nothing here. */
  readonly malformed: readonly string[];
  /** The secrets of the configuration, in every spelling that they have. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

const never = new AbortController().signal;
/** Codes that mean that the other end, or the network, is at fault. */
const away = ['connector_refused', 'connector_timeout', 'connector_busy', 'outcome_unknown', 'provider_unavailable'];
/** Also of what was sent and may have happened. */
const late = ['connector_timeout', 'connector_busy', 'outcome_unknown', 'provider_unavailable'];
/** More than a connector of a bed has connections. */
const many = Array.from({ length: 12 }, (_, at) => at);

/** The contract of every target. A new one is tested with one call. */
export function targetConformance(name: string, makeBed: () => Promise<TargetBed>): void {
  describe(`target ${name}`, () => {
    let bed: TargetBed;
    let lines: LogLine[];
    let made: TargetConnector[];
    beforeEach(async () => {
      bed = await makeBed();
      lines = [];
      made = [];
    });
    afterEach(async () => {
      await bed.stuck?.release();
      await Promise.all(made.map((connector) => connector.close(AbortSignal.abort())));
      await bed.close();
    });

    function make(): TargetConnector {
      const connector = bed.connector(connectorServices({ log: recordingLog(lines) }));
      made.push(connector);
      return connector;
    }

    async function open() {
      const connector = make();
      await connector.open(never);
      const execute = prepare(connector, bed.call);
      const echo = (text: string) => bed.echo(execute, text);
      expect(await echo('first')).toBe('first');
      return { connector, echo };
    }

    /** Calls that wait for an answer, and their outcomes. */
    async function waiting(
      stuck: StuckCall,
      connector: TargetConnector,
      call: Partial<CallDescription> = {},
      request: CallRequest = {},
    ) {
      await stuck.hold?.();
      const execute = prepare(connector, { ...stuck.call, ...call });
      let settled = 0;
      const outcomes = many.map(() =>
        outcomeOf(() => execute({ ...stuck.request, ...request })).finally(() => settled++),
      );
      await until(() => settled === many.length || stuck.begun());
      return { outcomes: Promise.all(outcomes), settled: () => settled };
    }

    const usable = async (connector: TargetConnector, echo: (text: string) => Promise<unknown>) => {
      await until(async () => !(await bed.stuck?.isLeft()));
      const texts = many.map((at) => `after ${at}`);
      expect(await Promise.all(texts.map(echo))).toEqual(texts);
      await connector.check?.(never);
    };

    describe('preparing a call', () => {
      test('needs no open connector; what comes before and after says that it is not open', async () => {
        const connector = make();
        const execute = prepare(connector, bed.call);
        const before = await failureOf(() => bed.echo(execute, 'before'));
        await connector.open(never);
        expect(await bed.echo(execute, 'now')).toBe('now');
        await connector.close();
        const after = await failureOf(() => bed.echo(execute, 'after'));
        expect([before, after].map(({ code, retriable }) => [code, retriable])).toEqual([
          ['connector_refused', true],
          ['connector_refused', true],
        ]);
      });

      test('asks the other end nothing', async () => {
        const { connector } = await open();
        if (bed.proxy !== undefined) bed.proxy.sends = 0;
        for (const _ of many) prepare(connector, bed.call);
        // Whatever had been sent would be there before this.
        await connector.close();
        expect(bed.proxy?.sends ?? 0).toBeLessThanOrEqual(many.length);
      });

      test('an operation that means nothing here is refused by `svc validate`', () => {
        const said = bed.malformed.map((operation) => bed.spec.target?.checkOperation?.(operation));
        expect(said).toEqual(bed.malformed.map(() => expect.stringMatching(/\S/)));
      });
    });

    describe('opening and closing', () => {
      test('come in any order, as often as they are called', async () => {
        const unopened = make();
        await unopened.close();
        await unopened.close();
        const connector = make();
        await connector.open(never);
        await connector.open(never);
        expect(await bed.echo(prepare(connector, bed.call), 'a')).toBe('a');
        await Promise.all([connector.close(), connector.close()]);
        await connector.close(AbortSignal.abort());
        await until(() => (bed.proxy?.connections ?? 0) === 0);
      });

      test('an open that is given up leaves nothing behind', async () => {
        if (bed.proxy !== undefined) bed.proxy.fault = 'blackhole';
        const connector = make();
        const stop = new AbortController();
        const opening = connector.open(stop.signal).then(
          () => undefined,
          (error: unknown) => typed(error),
        );
        stop.abort();
        await opening;
        await connector.close();
        await until(() => (bed.proxy?.connections ?? 0) === 0);
      });

      test('a close waits for what is under way', async () => {
        const { connector } = await open();
        if (bed.stuck === undefined) return connector.close();
        const { outcomes, settled } = await waiting(bed.stuck, connector);
        let isClosed = false;
        const closing = connector.close().then(() => (isClosed = true));
        // A turn of the loop in which a close that does not wait would end.
        await new Promise((resolve) => setImmediate(resolve));
        expect([isClosed, settled()]).toEqual([false, 0]);
        await bed.stuck.release();
        expect(await outcomes).toEqual(many.map(() => 'answered'));
        await closing;
      });

      test('a close whose time is over ends what is under way, and frees everything', async () => {
        const { connector } = await open();
        const begun = bed.stuck === undefined ? undefined : await waiting(bed.stuck, connector);
        const cut = new AbortController();
        const closing = connector.close(cut.signal);
        cut.abort();
        await closing;
        for (const outcome of (await begun?.outcomes) ?? [])
          expect(outcome).toMatchObject({ code: expect.toBeOneOf(away), retriable: true });
        await until(() => (bed.proxy?.connections ?? 0) === 0);
        await until(async () => !(await bed.stuck?.isLeft()));
      });

      test('a close whose time is over from the beginning too, also when another one waits', async () => {
        const { connector } = await open();
        const begun = bed.stuck === undefined ? undefined : await waiting(bed.stuck, connector);
        const unbounded = connector.close();
        await connector.close(AbortSignal.abort());
        await unbounded;
        for (const outcome of (await begun?.outcomes) ?? [])
          expect(outcome).toMatchObject({ code: expect.toBeOneOf(away), retriable: true });
      });
    });

    describe('a call', () => {
      test('that takes longer than it may ends, frees what it had and leaves the connector usable', async () => {
        const { connector, echo } = await open();
        if (bed.stuck === undefined) return;
        const { outcomes } = await waiting(bed.stuck, connector, { timeout: 50 });
        for (const outcome of await outcomes)
          expect(outcome).toMatchObject({ code: expect.toBeOneOf(late), retriable: true });
        await bed.stuck.release();
        await usable(connector, echo);
      });

      test('whose signal fires ends at once, frees what it had and leaves the connector usable', async () => {
        const { connector, echo } = await open();
        if (bed.stuck === undefined) return;
        const stop = new AbortController();
        const { outcomes } = await waiting(bed.stuck, connector, {}, { signal: stop.signal });
        stop.abort();
        for (const outcome of await outcomes) expect(outcome).toMatchObject({ code: 'cancelled', retriable: false });
        await bed.stuck.release();
        await usable(connector, echo);
      });

      test('whose signal has fired does nothing', async () => {
        const { connector, echo } = await open();
        if (bed.stuck === undefined) return;
        const execute = prepare(connector, bed.stuck.call);
        const { code } = await failureOf(() => execute({ ...bed.stuck?.request, signal: AbortSignal.abort() }));
        expect(code).toBe('cancelled');
        await usable(connector, echo);
      });

      test('among many gets its own answer, whatever becomes of the others', async () => {
        const { connector, echo } = await open();
        const stop = new AbortController();
        const begun =
          bed.stuck === undefined ? undefined : await waiting(bed.stuck, connector, {}, { signal: stop.signal });
        const texts = Array.from({ length: bed.sideBySide ?? 200 }, (_, at) => `${at} ${'ä'.repeat(at)}`);
        const answers = texts.map(echo);
        stop.abort();
        await begun?.outcomes;
        await bed.stuck?.release();
        expect(await Promise.all(answers)).toEqual(texts);
      });
    });

    test('health says why it does not work: not open, no server; and that it works again', async () => {
      const unopened = make();
      if (unopened.check === undefined) return;
      const reasons = [await failureOf(() => unopened.check?.(never))];
      const { connector } = await open();
      const { proxy } = bed;
      if (proxy !== undefined) {
        proxy.fault = 'refuse';
        proxy.reset();
        reasons.push(await until(() => failureOf(() => connector.check?.(never))));
        proxy.fault = 'pass';
      }
      await until(() => connector.check?.(never).then(() => true));
      await connector.close();
      reasons.push(await failureOf(() => connector.check?.(never)));
      for (const { code, message } of reasons)
        expect([[...away, 'store_unavailable'], message.length > 10]).toEqual([expect.arrayContaining([code]), true]);
    });

    test('no secret of the configuration is shown, whatever fails', async () => {
      const shown: unknown[] = [];
      const tell = async (work: () => unknown) => shown.push(spoken(await outcomeOf(work)));
      const connector = make();
      const execute = prepare(connector, bed.call);
      await tell(() => bed.echo(execute, 'a'));
      await tell(() => connector.check?.(never));
      await connector.open(never);
      for (const fault of ['refuse', 'cut', 'corrupt'] as const) {
        if (bed.proxy === undefined) break;
        bed.proxy.fault = fault;
        bed.proxy.reset();
        await tell(() => bed.echo(execute, 'a'));
        await tell(() => connector.check?.(AbortSignal.timeout(1_000)));
        const other = make();
        await tell(() => other.open(AbortSignal.timeout(1_000)));
      }
      const text = JSON.stringify([shown, lines], (_, value) => (typeof value === 'bigint' ? String(value) : value));
      expect(bed.secrets.filter((secret) => text.includes(secret))).toEqual([]);
    });
  });
}

function prepare(connector: TargetConnector, call: Partial<CallDescription>): Execute {
  return connector.target.prepare({
    verb: 'call',
    operation: undefined,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'to',
    ...call,
  });
}

/** A Failure with a code of the table, which says whether trying again may help. Fails the test on anything else. */
function typed(error: unknown): Failure {
  expect(error).toBeInstanceOf(Failure);
  const failure = error as Failure;
  expect([Object.hasOwn(failures, failure.code), typeof failure.retriable]).toEqual([true, 'boolean']);
  return failure;
}

async function outcomeOf(work: () => unknown): Promise<'answered' | Failure> {
  try {
    await work();
    return 'answered';
  } catch (error) {
    return typed(error);
  }
}

async function failureOf(work: () => unknown): Promise<Failure> {
  const outcome = await outcomeOf(work);
  if (outcome === 'answered') throw new Error('it did not fail');
  return outcome;
}

/** Everything that logs could say of an error, and of what caused it. */
function spoken(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { message, stack, cause } = error;
  return { ...error, message, stack, cause: spoken(cause) };
}
