import { toJson } from '@svc/protocol/cel';
import { GraphQLError } from 'graphql';

/** Values of flows as scalars: whole numbers of flows are `bigint`. */
export const jsonLeaves: Readonly<Record<string, (value: unknown) => unknown>> = {
  Int: (value) => {
    const number = typeof value === 'string' && value !== '' ? Number(value) : value;
    if (typeof number === 'boolean') return Number(number);
    const whole = typeof number === 'bigint' ? Number(number) : number;
    if (typeof whole === 'number' && Number.isInteger(whole) && Math.abs(whole) <= 2_147_483_647) return whole;
    throw new GraphQLError(`Int cannot represent ${shown(value)}`);
  },
  Float: (value) => {
    const number = typeof value === 'bigint' || (typeof value === 'string' && value !== '') ? Number(value) : value;
    if (typeof number === 'boolean') return Number(number);
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    throw new GraphQLError(`Float cannot represent ${shown(value)}`);
  },
  ID: (value) => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return String(value);
    throw new GraphQLError(`ID cannot represent ${shown(value)}`);
  },
  String: (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
    if (value instanceof Date) return value.toISOString();
    throw new GraphQLError(`String cannot represent ${shown(value)}`);
  },
  JSON: toJson,
};

function shown(value: unknown): string {
  return typeof value === 'object' ? 'an object' : String(value);
}
