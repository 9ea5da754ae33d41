import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { compileKeyPattern } from '../../core/key-pattern.ts';
import { lifetimeOf, lifetimeSays, wholeNumber, wholeNumberSays } from '../../core/values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The key of each message: what the pattern of the operation makes of it, else the parameter `key` or the target. */
export function keys(
  { flow, label, target }: CallDescription,
  pattern: string | undefined,
): (request: CallRequest) => string {
  if (pattern === undefined) {
    return (request) => {
      const key = (request.params as Fields | undefined)?.['key'] ?? request.target ?? target;
      if ((typeof key === 'string' && key !== '') || typeof key === 'number' || typeof key === 'bigint')
        return String(key);
      const where = `flow "${flow}" (${label})`;
      throw new Failure('filter_missing', `${where}: neither params nor target gives a key, which is a text or number`);
    };
  }
  const fill = compileKeyPattern(pattern);
  const missing = (field: string) =>
    new Failure('parameters_invalid', `the key of the entry needs "${field}"`, {
      fields: [{ field, code: 'required', message: 'must be a text or number that is not empty' }],
    });
  return ({ params, payload, filters, address, input }) => {
    const places = [params as Fields | undefined, payload, filters, address, input];
    return fill((name) => places.find((place) => place?.[name] !== undefined)?.[name], missing);
  };
}

/** What is stored: the parameter `value`, else the payload. */
export function storedValue({ params, payload }: CallRequest): unknown {
  const value = params !== undefined && Object.hasOwn(params, 'value') ? (params as Fields)['value'] : payload;
  if (value === undefined) throw new Failure('nothing_to_write', 'there is no value to store');
  return value;
}

/** The lifetime that the message gives, in milliseconds; undefined where it gives none. */
export function ttlOf({ params }: CallRequest): number | undefined {
  const written = (params as Fields | undefined)?.['ttl'];
  if (written === undefined || written === null) return undefined;
  const lifetime = lifetimeOf(written);
  if (lifetime === undefined) throw refusedParameter('ttl', lifetimeSays);
  return lifetime;
}

/** A whole number that the message gives; undefined where it gives none. */
export function integerOf({ params }: CallRequest, name: string): bigint | undefined {
  const value = (params as Fields | undefined)?.[name];
  if (value === undefined || value === null) return undefined;
  const number = wholeNumber(value);
  if (number === undefined) throw refusedParameter(name, wholeNumberSays);
  return number;
}

function refusedParameter(field: string, message: string): Failure {
  const fields = [{ field, code: 'type_mismatch', message }];
  return new Failure('parameters_invalid', `the parameter "${field}" ${message}`, { fields });
}
