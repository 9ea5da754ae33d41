import { Fields } from '@svc/protocol/cel';
import { type Auth, anonymous, type Message } from '../../foundation/contracts/message.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { decodeJson } from '../../platform/formats/json.ts';

/** The given message is not valid. */
export class InputProblem extends Error {
  override readonly name = 'InputProblem';
}

/** A message as it is typed: a JSON object, texts laid over it, and its caller. */
export interface TypedMessage {
  /** JSON. Absent: an empty object. */
  readonly input: string | undefined;
  /** Names and texts. */
  readonly params: readonly (readonly [string, string])[];
  /** JSON of `auth`. Absent: an anonymous caller. */
  readonly auth: string | undefined;
}

/**
 * The message that a source would deliver. Numbers are read as those of a request; path parameters of `operation`
 * address the row. Throws an InputProblem.
 */
export function messageOf(typed: TypedMessage, operation: string | undefined, signal: AbortSignal): Message {
  const input = new Fields();
  // Sources always set them, and expressions may read them.
  input['headers'] = new Fields();
  Object.assign(input, typed.input === undefined ? {} : objectOf(typed.input, 'the input'));
  for (const [name, value] of typed.params) input[name] = value;
  const named = [...(operation ?? '').matchAll(/\/:(\w+)/g)].map(([, name]) => name as string);
  return {
    input,
    auth: typed.auth === undefined ? anonymous : authOf(objectOf(typed.auth, 'auth')),
    signal: () => signal,
    cancelled: () => signal.aborted,
    addressed: named.filter((name) => input[name] !== undefined),
  };
}

function objectOf(text: string, what: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = decodeJson(text);
  } catch (error) {
    const why = error instanceof Failure ? error.message.replace('the body', what) : String(error);
    throw new InputProblem(why);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InputProblem(`${what} is a JSON object such as {"id": 1}`);
  return value as Readonly<Record<string, unknown>>;
}

const authFields: Readonly<Record<keyof Auth, (value: unknown) => boolean>> = {
  authenticated: (value) => typeof value === 'boolean',
  user_id: (value) => typeof value === 'string',
  email: (value) => typeof value === 'string',
  roles: (value) => Array.isArray(value) && value.every((role) => typeof role === 'string'),
  claims: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** A described caller is signed in, unless `auth` says otherwise. */
function authOf(given: Readonly<Record<string, unknown>>): Auth {
  for (const [name, value] of Object.entries(given)) {
    const fits = Object.hasOwn(authFields, name) ? authFields[name as keyof Auth] : undefined;
    if (fits === undefined)
      throw new InputProblem(`auth has no "${name}"; it has ${Object.keys(authFields).join(', ')}`);
    if (!fits(value)) throw new InputProblem(`auth: "${name}" has the wrong type`);
  }
  return { ...anonymous, authenticated: true, ...given };
}
