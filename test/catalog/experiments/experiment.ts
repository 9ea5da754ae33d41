import type { Diagnostic } from '@svc/protocol/text';
import { workerRules } from '../../../runtime/src/checks/rules/deployment/workers.ts';
import { openApi } from '../../../runtime/src/engine/export/openapi.ts';
import { type Answer, serve, type TestOptions } from '../../../runtime/src/engine/plan/testing/service.ts';
import type { CallResult } from '../../../runtime/src/foundation/contracts/call-result.ts';
import { anonymous, type Message } from '../../../runtime/src/foundation/contracts/message.ts';
import type { Outcome } from '../../../runtime/src/foundation/contracts/outcome.ts';
import { asFailure } from '../../../runtime/src/foundation/errors/classify.ts';
import { Failure } from '../../../runtime/src/foundation/errors/failure.ts';
import type { FailureCode } from '../../../runtime/src/foundation/errors/failures.ts';
import type { Clock } from '../../../runtime/src/foundation/observe/clock.ts';
import { TestClock } from '../../../runtime/src/tools/harness/clock.ts';
import { check } from '../check.ts';
import { RecordingStorage } from './storage.ts';

/** A configuration that is run once with each of two values of one attribute. */
export interface Experiment {
  readonly values: readonly [string, string];
  /** Everything that is seen of the configuration with this value. */
  readonly observe: (value: string) => Promise<unknown>;
}

/** One message: its fields (`id` alone when absent), what else is known of it, and the flow that takes it (`f` when absent). */
export interface Delivery {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly message?: Partial<Message>;
  readonly flow?: string;
  /** It is not waited for: the next message comes while it is on its way. */
  readonly beside?: true;
}

/** Time that passes when everything waits, and how long was waited. */
class RecordingClock extends TestClock {
  readonly waits = new Set<number>();

  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.waits.add(milliseconds);
    return super.sleep(milliseconds, signal);
  }
}

/** The mark in a configuration where the value is written. */
const mark = '§';

/** A caller with these roles and permissions. */
export const caller = (roles: readonly string[], permissions: readonly string[] = []): Partial<Message> => ({
  auth: { ...anonymous, authenticated: true, user_id: 'u1', roles, claims: { permissions } },
});

/**
 * Connectors answer one row, or that one was written. `fail` in what they are given is a code to fail with; with `hold`
 * they do not answer before `released`.
 */
function answering(released: Promise<void>): Answer {
  return (call) => {
    const { fail, hold } = { ...call.filters, ...call.payload } as {
      readonly fail?: FailureCode;
      readonly hold?: true;
    };
    if (fail !== undefined) throw new Failure(fail, `${call.connector} failed`);
    const { verb, target } = call.description;
    const row = { from: call.connector, target: call.target ?? target ?? null, amount: 3 };
    const result: CallResult = verb === 'read' || verb === 'call' ? { rows: [row] } : { affected: 1, id: 7 };
    return hold === true ? released.then(() => result) : result;
  };
}

/**
 * Runs a service whose connectors are those of the tests of plans, real in everything else, with one message after
 * another. Time passes when everything waits for it. Seen are answers, failures and drops with their times, calls,
 * statements, cache entries, the log and what observers are notified of.
 */
export function runs(
  configuration: string,
  values: Experiment['values'],
  deliveries: readonly Delivery[] = [{}],
  options: TestOptions = {},
): Experiment {
  return {
    values,
    observe: async (value) => {
      const clock = new RecordingClock(0);
      const released = Promise.withResolvers<void>();
      const stored: unknown[] = [];
      const service = await serve(
        configuration.replaceAll(mark, () => value),
        {
          answer: answering(released.promise),
          clock,
          storage: (connector) => new RecordingStorage(connector, stored),
          ...options,
        },
      );
      const ends: unknown[] = [];
      const running: Promise<unknown>[] = [];
      for (const { input = { id: 1 }, message, flow = 'f', beside } of deliveries) {
        const end = endOf(clock, () => service.deliver(flow, input, message));
        if (beside === undefined) ends.push(await end);
        else running.push(end);
      }
      released.resolve();
      ends.push(...(await Promise.all(running)));
      const passed = clock.elapsed();
      await service.background().catch((error: unknown) => ends.push(String(error)));
      const bound = ['api', 'events'].map((name) =>
        service
          .bindings(name)
          .map(({ flow, operation, returns, timeout, words }) => ({ flow, operation, returns, timeout, words })),
      );
      const { calls, statements, log, events } = service;
      return plain({ ends, calls, statements, log, events, stored, bound, passed, waits: [...clock.waits] });
    },
  };
}

/** What `svc validate` says of a configuration, of one that several processes serve as well. */
export function validates(configuration: string, values: Experiment['values']): Experiment {
  return {
    values,
    observe: async (value) => {
      const text = configuration.replaceAll(mark, () => value);
      return plain(check({ 'main.hcl': text }, undefined, workerRules(2)).diagnostics.map(problem));
    },
  };
}

/** What `svc export openapi` says of a configuration. */
export function exports(configuration: string, values: Experiment['values']): Experiment {
  return {
    values,
    observe: async (value) => openApi(check({ 'main.hcl': configuration.replaceAll(mark, () => value) })),
  };
}

const problem = ({ code, severity, message, help }: Diagnostic) => ({ code, severity, message, help });

async function endOf(clock: Clock, run: () => Outcome | Promise<Outcome>): Promise<unknown> {
  try {
    const outcome = await run();
    return [outcome.kind === 'drop' ? { ...outcome, values: undefined } : outcome, clock.elapsed()];
  } catch (error) {
    const { code, message, settle, fields, retryAfter } = asFailure(error);
    return [{ code, message, settle, fields, retryAfter }, clock.elapsed()];
  }
}

/** As text without what differs between two equal runs: identifiers and times. */
function plain(seen: unknown): unknown {
  const text = JSON.stringify(seen, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  const unnamed = text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid')
    .replace(/[0-9a-f]{32}/g, 'random');
  return JSON.parse(unnamed);
}
