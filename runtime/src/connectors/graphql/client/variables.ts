import type { CallRequest } from '../../../foundation/contracts/target.ts';
import type { DeclaredVariable } from '../document/parse.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The values of the variables of a document: what `params` give, else the payload, the filters and the address of the
 * message, under the name of the variable. Nothing else of the message is sent. A text that came where a number or a
 * truth value is declared, as paths and query strings have them, becomes one when it is its spelling.
 */
export function variablesOf(declared: readonly DeclaredVariable[], request: CallRequest): Record<string, unknown> {
  const { params, payload, filters, address } = request;
  const places = [Array.isArray(params) ? undefined : (params as Fields | undefined), payload, filters, address];
  const variables: Record<string, unknown> = Object.create(null);
  for (const { name, type } of declared) {
    const place = places.find((fields) => fields !== undefined && Object.hasOwn(fields, name));
    const value = place?.[name];
    if (value !== undefined) variables[name] = fitted(type, value);
  }
  return variables;
}

/** A value in the form that a scalar of the language is sent in; anything else as it is. */
function fitted(type: string, value: unknown): unknown {
  const plain = type.replace(/!$/, '');
  if (plain.startsWith('[')) {
    const item = plain.slice(1, -1);
    return Array.isArray(value) ? value.map((each) => fitted(item, each)) : fitted(item, value);
  }
  switch (plain) {
    case 'Int':
      if (typeof value === 'string' && /^-?\d{1,10}$/.test(value)) return Number(value);
      return typeof value === 'bigint' && BigInt.asIntN(32, value) === value ? Number(value) : value;
    case 'Float':
      return typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? Number(value) : value;
    case 'Boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'String':
      return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
        ? String(value)
        : value;
    case 'ID':
      return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
    default:
      return value;
  }
}
