import { WireError, wireError } from './errors.ts';
import { encodeError, encodeResult, readMessage } from './jsonrpc.ts';
import type { Kind, Method } from './method.ts';
import { type Methods, methods, type Params, type Result } from './methods.ts';
import type { Breakpoint } from './shapes.ts';

/** What the end that answers must be able to do; a method without a handler does not compile. */
export type Handlers<C> = {
  readonly [M in keyof Methods]: (caller: C, params: Params<M>) => Result<M> | Promise<Result<M>>;
};

/**
 * Answers one text: `reply` is given the text to send back, later when `handle` takes time, so that other texts are
 * answered meanwhile. Notifications are never answered. What `handle` throws becomes the error of the answer.
 */
export function respond(
  text: string,
  handle: (method: string, params: unknown) => unknown,
  reply: (text: string) => void,
): void {
  const message = readMessage(text);
  if (message.kind === 'wrong') return reply(encodeError(message.id, message.error));
  if (message.kind !== 'request') return;
  const { id, method } = message;
  const settle = (result: unknown) => id !== undefined && reply(encodeResult(id, result));
  const refuse = (error: unknown) => id !== undefined && reply(encodeError(id, asWireError(error)));
  try {
    const result = handle(method, message.params);
    if (result instanceof Promise) result.then(settle, refuse);
    else settle(result);
  } catch (error) {
    refuse(error);
  }
}

/**
 * Answers one text of the debug protocol. `ready` is asked before the method is looked up and gives the caller, or
 * undefined when this method may not be called yet.
 */
export function answer<C>(
  text: string,
  handlers: Handlers<C>,
  ready: (method: string) => C | undefined,
  reply: (text: string) => void,
): void {
  const handle = (method: string, given: unknown) => {
    const caller = ready(method);
    if (caller === undefined) throw wireError('sessionNotFound', 'not attached');
    if (!Object.hasOwn(methods, method)) throw wireError('methodNotFound', `there is no method "${method}"`);
    const name = method as keyof Methods;
    const params = checkedParams(methods[name], given);
    return (handlers[name] as (caller: C, params: unknown) => unknown)(caller, params);
  };
  respond(text, handle, reply);
}

function asWireError(error: unknown): WireError {
  if (error instanceof WireError) return error;
  return wireError('internalError', error instanceof Error ? error.message : String(error));
}

/** The parameters that the method has, each of its kind; others are left out. */
function checkedParams(method: Method, given: unknown): Record<string, unknown> {
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    throw wireError('invalidParams', 'params must be an object');
  const params = (given ?? {}) as Record<string, unknown>;
  const checked: Record<string, unknown> = {};
  for (const [name, { kind }] of Object.entries(method.params)) {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const isOptional = kind.endsWith('?');
    if (value === undefined || (isOptional && value === null)) {
      if (!isOptional) throw wireError('invalidParams', `"${name}" is missing`);
      continue;
    }
    const plain = (isOptional ? kind.slice(0, -1) : kind) as Kind;
    const problem = problems[plain](value);
    if (problem !== undefined) throw wireError('invalidParams', `"${name}" ${problem}`);
    checked[name] = value;
  }
  return checked;
}

const isText = (value: unknown) => typeof value === 'string';

/** Why a value is not of a kind; undefined when it is. */
const problems: Readonly<Record<Kind, (value: unknown) => string | undefined>> = {
  string: (value) => (isText(value) ? undefined : 'must be a text'),
  int: (value) => (Number.isSafeInteger(value) ? undefined : 'must be a whole number'),
  'string[]': (value) => (Array.isArray(value) && value.every(isText) ? undefined : 'must be a list of texts'),
  breakpoints: (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    for (const [at, each] of value.entries()) {
      const problem = breakpointProblem(each);
      if (problem !== undefined) return `[${at}] ${problem}`;
    }
    return undefined;
  },
  any: () => undefined,
};

function breakpointProblem(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'must be an object';
  const { stage, ruleIndex, name, condition, hitCount, logMessage } = given as { [K in keyof Breakpoint]?: unknown };
  if (!isText(stage)) return 'needs "stage", a text';
  if (!Number.isSafeInteger(ruleIndex) || (ruleIndex as number) < -1)
    return 'needs "ruleIndex": -1 for the stage, or the number of a rule from 0';
  for (const [word, text] of Object.entries({ name, condition, logMessage }))
    if (text !== undefined && !isText(text)) return `has "${word}", which must be a text`;
  if (hitCount !== undefined && (!Number.isSafeInteger(hitCount) || (hitCount as number) < 1))
    return 'has "hitCount", which must be a whole number from 1';
  return undefined;
}
