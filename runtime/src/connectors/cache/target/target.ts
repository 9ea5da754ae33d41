import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import type { CallRequest, Execute, Target } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { answerBudget } from '../../../platform/formats/budget.ts';
import { decodeBody } from '../../../platform/formats/decode.ts';
import { decodeJson, encodeJson } from '../../../platform/formats/json.ts';
import { json } from '../../../platform/formats/registry.ts';
import { answered, cancelled, type Waiting } from '../../../platform/net/answered.ts';
import { wasNotDone } from '../../../platform/net/redis/failure.ts';
import { type Command, commandNamed, commandOf } from './commands.ts';
import { integerOf, keys, storedValue, ttlOf } from './parameters.ts';

/** What a named operation of a cache says. */
interface Named {
  readonly key_pattern?: string;
  readonly ttl?: number;
}

/** One command on one entry, prepared. */
interface Prepared {
  readonly storage: Storage;
  /** Milliseconds that the operation says; undefined leaves it to the connector. */
  readonly ttl: number | undefined;
  /** Expressions read the result. */
  readonly exact: boolean;
}

type Run = (prepared: Prepared, key: string, request: CallRequest) => CallResult | Promise<CallResult>;

/** How flows ask a cache: entries hold JSON, and what is not JSON is given as the text that it is. */
export function cacheTarget(connector: string, storage: Storage, isOpen: () => boolean): Target {
  const refuse = () => new Failure('connector_refused', `connector "${connector}" is not open`, { at: { connector } });
  return {
    prepare(call): Execute {
      const named = (call.named ?? {}) as Named;
      const command = commandNamed(call.operation ?? '') ?? commandOf(call.verb);
      const run = runs[command];
      const keyOf = keys(call, named.key_pattern);
      const prepared = { storage, ttl: named.ttl, exact: call.exact };
      return (request) => {
        if (!isOpen()) throw refuse();
        if (request.cancelled ?? request.signal?.aborted) throw cancelled();
        const result = run(prepared, keyOf(request), request);
        const { timeout } = call;
        return result instanceof Promise ? settled(result, { signal: request.signal, timeout }, command) : result;
      };
    },
  };
}

const runs: Readonly<Record<Command, Run>> = {
  get: ({ storage }, key) => whenThere(storage.get(key), decoded),
  set: ({ storage, ttl }, key, request) => {
    const stored = storage.set(key, encodeJson(storedValue(request)), ttlOf(request) ?? ttl);
    return stored instanceof Promise ? stored.then(affected) : affected();
  },
  exists: ({ storage }, key) => whenThere(storage.has(key), (value) => ({ value })),
  ttl: ({ storage }, key) =>
    whenThere(storage.remaining(key), (left) => ({ value: Number.isFinite(left) ? Math.ceil(left / 1000) : null })),
  increment: ({ storage, ttl, exact }, key, request) => {
    const [by = 1n, limit] = [integerOf(request, 'by'), integerOf(request, 'limit')];
    return whenThere(storage.add(key, by, ttlOf(request) ?? ttl, limit), ({ value, allowed }) => {
      const count = exact || !Number.isSafeInteger(Number(value)) ? value : Number(value);
      return { value: limit === undefined ? count : { value: count, allowed } };
    });
  },
  delete: ({ storage }, key) => whenThere(storage.delete([key]), (count) => ({ affected: count })),
};

const affected = () => ({ affected: 1 });

/** The result of an answer; no rows where there is nothing, so that a miss is not a null. */
function whenThere<T>(
  answer: T | undefined | Promise<T | undefined>,
  result: (value: T) => CallResult | Promise<CallResult>,
): CallResult | Promise<CallResult> {
  const settle = (value: T | undefined) => (value === undefined ? { rows: [] } : result(value));
  return answer instanceof Promise ? answer.then(settle) : settle(answer);
}

/** The value of an entry. A long text is decoded by another thread, so that it does not hold up the others. */
function decoded(text: string): CallResult | Promise<CallResult> {
  // A character has at most three bytes in UTF-8 for each of its units.
  if (text.length * 3 > json.inlineBytes) return decodedElsewhere(text);
  try {
    return { value: decodeJson(text, answerBudget) };
  } catch (error) {
    return undecoded(text, error);
  }
}

async function decodedElsewhere(text: string): Promise<CallResult> {
  try {
    return { value: await decodeBody(json, Buffer.from(text), { budget: answerBudget }) };
  } catch (error) {
    return undecoded(text, error);
  }
}

/** What other programs store may be plain text. */
function undecoded(text: string, error: unknown): CallResult {
  const { code, message } = asFailure(error);
  if (code === 'body_undecodable') return { value: text };
  throw new Failure('connector_failed', `the entry cannot be used: ${message}`, {
    cause: error,
    retriable: code === 'overloaded',
  });
}

/** Waits for the answer until the deadline, or until the message is cancelled. */
async function settled(result: Promise<CallResult>, waiting: Waiting, command: Command): Promise<CallResult> {
  try {
    return await answered(result, waiting);
  } catch (error) {
    throw refused(error, command);
  }
}

/**
 * To a flow, a store that cannot be reached is a connector that cannot be reached. A count that was sent and not answered
 * may have happened, and counts twice when it is sent again; every other command may be repeated.
 */
function refused(error: unknown, command: Command): Failure {
  const failure = asFailure(error);
  const isLost = failure.code === 'store_unavailable' || failure.code === 'connector_timeout';
  if (command === 'increment' && isLost && !wasNotDone(failure))
    return new Failure('outcome_unknown', `it may have been counted: ${failure.message}`, { cause: failure });
  if (failure.code !== 'store_unavailable') return failure;
  const code = /timed out/i.test(failure.message) ? 'connector_timeout' : 'connector_refused';
  return new Failure(code, failure.message, { cause: failure });
}
