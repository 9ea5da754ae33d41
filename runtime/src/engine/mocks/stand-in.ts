import type { ConnectorDeclaration } from '@svc/protocol/model';
import type { ConnectorSpec } from '@svc/protocol/schema';
import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { StatementRunner, Transactions } from '../../foundation/contracts/sql.ts';
import type { Storage } from '../../foundation/contracts/storage.ts';
import type { CallDescription, Execute, Target } from '../../foundation/contracts/target.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import { MemoryStorage } from '../../platform/sync/memory/storage.ts';
import { standardAnswer } from './answer.ts';
import { type AskedCall, askedCall, askedStatement } from './call.ts';

/** Answers a call; undefined when it has no answer to it. */
export type AnswerCall = (call: AskedCall) => CallResult | Promise<CallResult | undefined> | undefined;

export interface StandInOptions {
  readonly answer: AnswerCall;
  readonly clock: Clock;
  /** The connector that it replaces: whether flows call it, and whether it is a cache, which then keeps its entries in this process. */
  readonly declaration: ConnectorDeclaration;
  /** Gives the connector that takes what has no answer, open; absent: such a call gets the standard answer. */
  readonly real?: (() => Promise<Connector>) | undefined;
  /** Called with every call and how it ended. */
  readonly settled?: ((call: AskedCall, result: CallResult | undefined, error: unknown) => void) | undefined;
}

/** Takes the place of a connector. It opens nothing; a real one behind it is opened with the first call that needs it. */
export function standIn(name: string, options: StandInOptions): Connector {
  const { clock, declaration, real, settled } = options;
  let opened: Promise<Connector> | undefined;
  const behind = real && (() => (opened ??= real()));
  const ask = (call: AskedCall, pass: (() => Promise<CallResult>) | undefined): CallResult | Promise<CallResult> => {
    const otherwise = () => pass?.() ?? standardAnswer(call);
    const answered = () => {
      const result = options.answer(call);
      return result instanceof Promise ? result.then((own) => own ?? otherwise()) : (result ?? otherwise());
    };
    return settled === undefined ? answered() : report(call, answered, settled);
  };
  const specs = specsOf(declaration);
  const memory = specs.some(({ storage }) => storage) ? { storage: memoryStorage(declaration, clock) } : {};
  const calls = specs.some(({ target }) => target !== undefined)
    ? { target: { prepare: prepare(name, asked(specs, ask), behind), transactions: transactions(name, ask, behind) } }
    : {};
  return {
    name,
    open: async () => undefined,
    close: async (cut) => {
      const connector = await opened?.catch(() => undefined);
      await connector?.close(cut);
    },
    ...memory,
    ...calls,
  };
}

type Ask = (call: AskedCall, pass: (() => Promise<CallResult>) | undefined) => CallResult | Promise<CallResult>;
type Behind = (() => Promise<Connector>) | undefined;

function report(
  call: AskedCall,
  work: () => CallResult | Promise<CallResult>,
  settled: NonNullable<StandInOptions['settled']>,
): CallResult | Promise<CallResult> {
  const succeed = (result: CallResult) => {
    settled(call, result, undefined);
    return result;
  };
  const fail = (error: unknown): never => {
    settled(call, undefined, error);
    throw error;
  };
  let result: CallResult | Promise<CallResult>;
  try {
    result = work();
  } catch (error) {
    return fail(error);
  }
  return result instanceof Promise ? result.then(succeed, fail) : succeed(result);
}

function prepare(name: string, askAs: (description: CallDescription) => Ask, behind: Behind): Target['prepare'] {
  return (description: CallDescription) => {
    let execute: Promise<Execute> | undefined;
    const realExecute = (): Promise<Execute> => (execute ??= preparedBy(description, behind));
    const ask = askAs(description);
    return (request) =>
      ask(askedCall(name, description, request), behind && (async () => (await realExecute())(request)));
  };
}

/** Gives what a mock answers the form that the connector gives it. */
function asked(specs: readonly ConnectorSpec[], ask: Ask): (description: CallDescription) => Ask {
  const asList = (result: CallResult): CallResult => (result.rows === undefined ? result : { ...result, isList: true });
  return (description) => {
    if (!specs.some(({ target }) => target?.answersList?.(description) === true)) return ask;
    return (call, pass) => {
      const result = ask(call, pass);
      return result instanceof Promise ? result.then(asList) : asList(result);
    };
  };
}

async function preparedBy(description: CallDescription, behind: Behind): Promise<Execute> {
  const target = (await behind?.())?.target;
  if (target === undefined) throw new Error('the connector cannot be called');
  // What is recorded is kept.
  return target.prepare({ ...description, once: false });
}

/** Statements are answered one by one; the first that is not begins a transaction of the real connector. */
function transactions(name: string, ask: Ask, behind: Behind): Transactions {
  return {
    run: async (work, signal) => {
      const real = behind && new RealTransaction(behind, signal);
      const runner: StatementRunner = {
        execute: (query, params, key) =>
          ask(
            askedStatement(name, query, params),
            real && (async () => (await real.statements()).execute(query, params, key)),
          ),
      };
      try {
        const result = await work(runner);
        await real?.commit();
        return result;
      } catch (error) {
        await real?.rollBack(error);
        throw error;
      }
    },
  };
}

/** A transaction of the real connector that begins when it is needed and is committed or rolled back with the test's. */
class RealTransaction {
  readonly #behind: () => Promise<Connector>;
  readonly #signal: AbortSignal | undefined;
  readonly #end = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;
  #statements: Promise<StatementRunner> | undefined;

  constructor(behind: () => Promise<Connector>, signal: AbortSignal | undefined) {
    this.#behind = behind;
    this.#signal = signal;
    this.#end.promise.catch(() => undefined);
  }

  statements(): Promise<StatementRunner> {
    this.#statements ??= this.#begin();
    return this.#statements;
  }

  async #begin(): Promise<StatementRunner> {
    const { target } = await this.#behind();
    if (target?.transactions === undefined) throw new Error('the connector has no transactions');
    const begun = Promise.withResolvers<StatementRunner>();
    this.#running = target.transactions.run((statements) => {
      begun.resolve(statements);
      return this.#end.promise;
    }, this.#signal);
    this.#running.catch(begun.reject);
    return begun.promise;
  }

  async commit(): Promise<void> {
    this.#end.resolve();
    await this.#running;
  }

  async rollBack(error: unknown): Promise<void> {
    this.#end.reject(error);
    await this.#running?.catch(() => undefined);
  }
}

/** Whether a connector can be replaced: it is called, or it is a cache. */
export function isAsked(declaration: ConnectorDeclaration): boolean {
  return specsOf(declaration).some(({ target, storage }) => target !== undefined || storage);
}

function specsOf({ spec, profiles }: ConnectorDeclaration): readonly ConnectorSpec[] {
  return spec ? [spec] : [...profiles.values()].flatMap((profile) => profile.spec ?? []);
}

/** Entries are kept as long as the configuration of the cache says, in this process. */
function memoryStorage({ values }: ConnectorDeclaration, clock: Clock): Storage {
  const { default_ttl: defaultTtl } = values as { readonly default_ttl?: number };
  return new MemoryStorage({ maxItems: 10_000, defaultTtl, eviction: 'lru' }, clock);
}
