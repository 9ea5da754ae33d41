import { Fields as EmptyFields } from '@svc/protocol/cel';
import type { Frame } from '../../message/frame.ts';
import type { FlowModel } from '../../model.ts';

export type Fields = Record<string, unknown>;

/** Fields that sources add to a message; never written. */
const internal = new Set(['headers', 'files']);

/** The parts of a message from which payloads are taken. */
type Carried = Pick<Frame, 'input' | 'message'>;

/**
 * What a write without transform persists (docs/specification/flow.md#destinations): path parameters and body, never
 * the query string; with a type, only the fields that it declares.
 */
export function inputPayload({ inputTypes }: Pick<FlowModel, 'inputTypes'>): (frame: Carried) => Fields {
  if (inputTypes.length === 0) {
    return ({ input, message: { queried, around } }) => {
      const payload: Fields = new EmptyFields();
      for (const name in input) {
        if (internal.has(name) || queried?.includes(name) === true || around?.includes(name) === true) continue;
        payload[name] = input[name];
      }
      return payload;
    };
  }
  const declared = [...new Set(inputTypes.flatMap(({ fields }) => fields))].filter((name) => !internal.has(name));
  return ({ input, message: { addressed, queried, around } }) => {
    const payload: Fields = new EmptyFields();
    for (const name of addressed) if (input[name] !== undefined && !internal.has(name)) payload[name] = input[name];
    for (const name of declared) {
      if (!Object.hasOwn(input, name) || queried?.includes(name) === true || around?.includes(name) === true) continue;
      payload[name] = input[name];
    }
    return payload;
  };
}

/**
 * What a reading or deleting request carries without a transform: query parameters and body, and path parameters unless
 * its path is computed and thus contains them. With a type, of the body only the fields that it declares.
 */
export function askedFields(
  { inputTypes }: Pick<FlowModel, 'inputTypes'>,
  isPathComputed: boolean,
): (frame: Carried) => Fields {
  const declared = inputTypes.length === 0 ? undefined : new Set(inputTypes.flatMap(({ fields }) => fields));
  return ({ input, message: { addressed, queried, around } }) => {
    const fields: Fields = new EmptyFields();
    for (const name in input) {
      if (internal.has(name) || around?.includes(name) === true) continue;
      const kept = addressed.includes(name)
        ? !isPathComputed
        : declared === undefined || declared.has(name) || queried?.includes(name) === true;
      if (kept) fields[name] = input[name];
    }
    return fields;
  };
}

/** The message without what its source adds: what a flow without stages answers. */
export function messageFields({ input }: Pick<Frame, 'input'>): Fields {
  const fields: Fields = new EmptyFields();
  for (const name in input) if (name !== 'headers') fields[name] = input[name];
  return fields;
}

/** Path parameters as filters. */
export function addressFilters({ input, message: { addressed } }: Frame): Fields {
  const filters: Fields = new EmptyFields();
  for (const name of addressed) if (input[name] !== undefined) filters[name] = input[name];
  return filters;
}

/** What the caller passed to the flow itself. */
export function ownFields({ input, message: { around } }: Carried): Fields {
  const fields: Fields = new EmptyFields();
  for (const name in input) if (!internal.has(name) && around?.includes(name) !== true) fields[name] = input[name];
  return fields;
}
