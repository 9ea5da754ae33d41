import type { CustomTypesConfig } from 'pg';
import { base64, fromJson } from '../values/json.ts';
import { toRfc3339 } from '../values/time.ts';

type Parser = (text: string) => unknown;

/** Object identifiers of built-in types (pg_type.dat of PostgreSQL). */
const oid = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  jsonb: 3802,
} as const;

/** How columns become values; what is not listed stays the text that the server sends. */
function parsers(exact: boolean): ReadonlyMap<number, Parser> {
  const json: Parser = (text) => fromJson(text, exact);
  const small: Parser = exact ? BigInt : Number;
  const large: Parser = exact ? BigInt : narrow;
  return new Map<number, Parser>([
    [oid.bool, (text) => text === 't'],
    [oid.bytea, bytes],
    [oid.int2, small],
    [oid.int4, small],
    [oid.oid, small],
    [oid.int8, large],
    [oid.float4, Number],
    [oid.float8, Number],
    [oid.json, json],
    [oid.jsonb, json],
    [oid.date, toRfc3339],
    [oid.timestamp, toRfc3339],
    [oid.timestamptz, toRfc3339],
  ]);
}

const asText: Parser = (text) => text;

function typesOf(exact: boolean): CustomTypesConfig {
  const map = parsers(exact);
  return { getTypeParser: (id: number) => map.get(id) ?? asText } as CustomTypesConfig;
}

export const exactTypes = typesOf(true);
export const plainTypes = typesOf(false);

function narrow(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** `\x…` as `bytea_output = hex` sends it. */
function bytes(text: string): string {
  return base64(Buffer.from(text.slice(2), 'hex'));
}
