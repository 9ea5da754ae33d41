import pg, { type CustomTypesConfig } from 'pg';
import { base64, fromJson } from '../values/json.ts';
import { toDate, toRfc3339 } from '../values/time.ts';
import { lastBuiltIn, Unread } from './unread.ts';

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
function parsers(exact: boolean): Map<number, Parser> {
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
    [oid.date, toDate],
    [oid.timestamp, toRfc3339],
    [oid.timestamptz, toRfc3339],
  ]);
}

const asText: Parser = (text) => text;
const unread: Parser = (text) => new Unread(text);

/** Array types of the built-in types, by that of their elements. */
const arrays: readonly (readonly [array: number, element: number])[] = [
  [1000, oid.bool],
  [1001, oid.bytea],
  [1016, oid.int8],
  [1005, oid.int2],
  [1007, oid.int4],
  [1028, oid.oid],
  [199, oid.json],
  [1021, oid.float4],
  [1022, oid.float8],
  [1182, oid.date],
  [1115, oid.timestamp],
  [1185, oid.timestamptz],
  [3807, oid.jsonb],
  // char, name, text, bpchar, varchar, xml, time, timetz, interval, numeric, uuid, inet, cidr, macaddr, money: their text.
  ...[1002, 1003, 1009, 1014, 1015, 143, 1183, 1270, 1187, 1231, 2951, 1041, 651, 1040, 791].map(
    (array) => [array, 0] as const,
  ),
];

/** Arrays of all types but those of rows of the catalog: of ranges, and of types that were made in the database. */
export const ownArrays = `
SELECT a.oid::int8 AS array, (CASE WHEN e.typtype = 'd' THEN e.typbasetype ELSE e.oid END)::int8 AS element
FROM pg_catalog.pg_type a
JOIN pg_catalog.pg_type e ON e.typarray = a.oid
WHERE a.typdelim = ',' AND (a.oid > ${lastBuiltIn} OR e.typtype IN ('b', 'r', 'm'))`;

/** Domains, and the types that they are of. The log of a database names domains, where results name their types. */
export const ownDomains = `
WITH RECURSIVE d AS (
  SELECT oid AS domain, typbasetype AS base FROM pg_catalog.pg_type WHERE typtype = 'd'
  UNION ALL
  SELECT d.domain, t.typbasetype FROM d JOIN pg_catalog.pg_type t ON t.oid = d.base AND t.typtype = 'd'
)
SELECT d.domain::int8 AS domain, d.base::int8 AS base
FROM d JOIN pg_catalog.pg_type t ON t.oid = d.base AND t.typtype <> 'd'`;

/** Integers as bigint, or as numbers where that is safe. */
interface Readers {
  readonly exact: CustomTypesConfig;
  readonly plain: CustomTypesConfig;
}

/** How one database makes values of columns. */
export class ValueTypes implements Readers {
  readonly exact: CustomTypesConfig;
  readonly plain: CustomTypesConfig;
  /** The same, where a value of a type that is not known becomes `Unread`. */
  readonly first: Readers;
  private readonly maps = [parsers(true), parsers(false)] as const;

  constructor() {
    for (const [array, element] of arrays) this.learn(array, element);
    const readers = (otherwise: (type: number) => Parser): Readers => {
      const [exact, plain] = this.maps.map(
        (map) => ({ getTypeParser: (type: number) => map.get(type) ?? otherwise(type) }) as CustomTypesConfig,
      ) as [CustomTypesConfig, CustomTypesConfig];
      return { exact, plain };
    };
    const { exact, plain } = readers(() => asText);
    this.exact = exact;
    this.plain = plain;
    this.first = readers((type) => (type > lastBuiltIn ? unread : asText));
  }

  /** Whether it is known how values of a type are read; of one that was made later it is not. */
  knows(type: number): boolean {
    return type <= lastBuiltIn || this.maps[0].has(type);
  }

  /** A domain is read as the type that it is of. */
  learnDomain(domain: number, base: number): void {
    for (const map of this.maps) map.set(domain, map.get(base) ?? asText);
  }

  learn(array: number, element: number): void {
    for (const map of this.maps) map.set(array, listOf(map.get(element) ?? asText));
  }

  /** Types that were asked for and are neither arrays nor domains are texts. */
  settle(type: number): void {
    if (!this.knows(type)) this.learnDomain(type, 0);
  }

  /** Reads the values of a column that were unread, now that its type was asked for. */
  read(rows: readonly Record<string, unknown>[], column: string, type: number, exact: boolean): void {
    this.settle(type);
    const parse = this.maps[exact ? 0 : 1].get(type) as Parser;
    for (const row of rows) {
      const value = row[column];
      if (value instanceof Unread) row[column] = parse(value.text);
    }
  }
}

interface ArrayParser {
  create(text: string, element: Parser): { parse(): unknown[] };
}

/** The declared types of pg take it for a function. */
const { create } = pg.types.arrayParser as unknown as ArrayParser;

function listOf(element: Parser): Parser {
  return (text) => {
    try {
      return create(text, element).parse();
    } catch {
      // No value may make a read fail.
      return text;
    }
  };
}

function narrow(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** `\x…` as `bytea_output = hex` sends it. */
function bytes(text: string): string {
  return base64(Buffer.from(text.slice(2), 'hex'));
}
