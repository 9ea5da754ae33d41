import { Failure } from '../../../../foundation/errors/failure.ts';
import { parameterIn } from './shape.ts';

/** Gives the value of a parameter, or undefined. */
export type Lookup = (name: string) => unknown;

/** Constants of the configuration with the values of their parameters. Throws a Failure that names one without. */
export function withParameters(value: unknown, lookup: Lookup, where: string): unknown {
  const filled = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(filled);
    if (typeof item === 'object' && item !== null)
      return Object.fromEntries(Object.entries(item).map(([name, inner]) => [name, filled(inner)]));
    const name = typeof item === 'string' ? parameterIn(item) : undefined;
    if (name === undefined) return item;
    const found = lookup(name);
    if (found === undefined) throw missing(name, where);
    return found;
  };
  return filled(value);
}

function missing(name: string, where: string): Failure {
  const text = `${where}: nothing gives the parameter :${name} a value`;
  return new Failure('connector_failed', text, { retriable: false });
}
