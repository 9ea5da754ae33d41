import { Query } from 'mingo';
import { CommandError } from './command-error.ts';
import { refuseCondition } from './conditions.ts';
import type { Fields } from './wire.ts';

const joining: readonly string[] = ['$and', '$or', '$nor'];

/** The query of a filter. Throws a CommandError for what the server refuses, and mingo takes. */
export function queryOf(filter: Fields | undefined): Query {
  refuse(filter ?? {});
  return new Query(filter ?? {});
}

function refuse(filter: Fields): void {
  for (const [name, value] of Object.entries(filter)) {
    if (!joining.includes(name)) {
      refuseOperators(value);
      refuseCondition(value);
    } else if (Array.isArray(value) && value.length > 0) for (const part of value) refuse(part as Fields);
    else throw badValue('$and/$or/$nor must be a nonempty array');
  }
}

function refuseOperators(value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const { $in, $nin, $not } = value as Fields;
  for (const list of [$in, $nin])
    if (list !== undefined && !Array.isArray(list)) throw badValue('$in and $nin need an array');
  if ($not !== undefined && (typeof $not !== 'object' || $not === null))
    throw badValue('$not needs a regex or a document');
}

function badValue(text: string): CommandError {
  return new CommandError(2, 'BadValue', text);
}
