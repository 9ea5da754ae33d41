import { Failure } from '../../../../foundation/errors/failure.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { Taken } from './operations.ts';
import type { Publication, ServerFacts, Slot } from './system-catalog.ts';

/** What the connector and its flows need of the database. */
export interface Wanted {
  readonly slot: string;
  readonly publication: string;
  readonly database: string;
  /** As they are written in the connector. */
  readonly tables: readonly string[];
  readonly operations: readonly Taken[];
}

/** The oldest server whose plugin sends what is asked for here. */
const oldestVersion = 140_000;

export function refuse(text: string): Failure {
  return new Failure('connector_failed', text, { retriable: false });
}

/** Throws where the server cannot send changes at all. */
export function requireServer({ walLevel, version }: ServerFacts): void {
  if (version < oldestVersion)
    throw refuse(`the server has version ${Math.trunc(version / 10_000)}: version 14 or later is needed`);
  if (walLevel === 'logical') return;
  throw refuse(
    `the server does not keep what changes are read from: wal_level is "${walLevel}". Set wal_level = logical in its configuration (ALTER SYSTEM SET wal_level = 'logical') and restart the server`,
  );
}

/** Throws where a slot of this name is not one that changes can be taken from without a gap. */
export function requireSlot({ plugin, database, lost }: Slot, wanted: Pick<Wanted, 'slot' | 'database'>): void {
  const { slot } = wanted;
  if (plugin === null) throw refuse(`the slot "${slot}" is one of physical replication: write another slot_name`);
  if (plugin !== 'pgoutput')
    throw refuse(`the slot "${slot}" has the plugin "${plugin}" instead of "pgoutput": write another slot_name`);
  if (database !== wanted.database)
    throw refuse(`the slot "${slot}" belongs to the database "${database}": write another slot_name`);
  if (lost !== undefined)
    throw refuse(
      `changes behind the slot "${slot}" are lost: ${lost}. Drop it (SELECT pg_drop_replication_slot('${slot}')), make a new one, and take a snapshot of the rows`,
    );
}

/** What a publication lacks of what is wanted, with remedies; undefined: nothing. */
export function lackOf({ tables, triggers }: Publication, wanted: Wanted): string | undefined {
  const { publication } = wanted;
  const names = tables.map(({ schema, table }) => `${schema}.${table}`.toLowerCase());
  const isThere = (schema: string | undefined, table: string) =>
    names.some((name) => (schema === undefined ? name.endsWith(`.${table}`) : name === `${schema}.${table}`));
  for (const name of tablesOf(wanted)) {
    const [table = '', schema] = name.split('.').reverse();
    if (isThere(schema?.toLowerCase(), table.toLowerCase())) continue;
    const has = names.length === 0 ? 'it has no table' : `it has ${names.slice(0, 20).join(', ')}`;
    return `the publication "${publication}" has no table "${name}", so that none of its changes come: execute ALTER PUBLICATION ${publication} ADD TABLE ${name}, or correct the name (${has})`;
  }
  const missing = wanted.operations.find(
    ({ trigger }) => trigger !== undefined && !triggers.includes(trigger),
  )?.trigger;
  if (missing === undefined) return undefined;
  const all = [...triggers, missing].join(', ').toLowerCase();
  return `the publication "${publication}" does not publish ${missing}, which a flow takes: execute ALTER PUBLICATION ${publication} SET (publish = '${all}')`;
}

/** What to do about a slot or a publication that does not exist. */
export function missingText(
  { slot, publication }: Wanted,
  has: { readonly slot: boolean; readonly publication: boolean; readonly deadLetters: boolean },
  deadLetters: DeadLetters | undefined,
): string {
  const missing = [
    ...(has.publication
      ? []
      : [`the publication "${publication}" does not exist (CREATE PUBLICATION ${publication} FOR TABLE ...)`]),
    ...(has.slot
      ? []
      : [
          `the slot "${slot}" does not exist (SELECT pg_create_logical_replication_slot('${slot}', 'pgoutput'), after the publication)`,
        ]),
    ...(has.deadLetters
      ? []
      : [`the table "${deadLetters?.table}" for dead letters does not exist (${deadLetters?.statement})`]),
  ];
  return `${missing.join('; ')}: make ${missing.length > 1 ? 'them' : 'it'} at the server, or write create_if_missing = true`;
}

/** The tables that a publication is made for; undefined: all of the database. */
export function publishedTables({ tables, operations }: Wanted): readonly string[] | undefined {
  if (tables.length > 0) return tables;
  const takesAny = operations.length === 0 || operations.some(({ table }) => table === undefined);
  return takesAny ? undefined : namedBy(operations);
}

/** Tables that must be published. */
function tablesOf({ tables, operations }: Wanted): readonly string[] {
  return [...new Set([...tables, ...namedBy(operations)])];
}

function namedBy(operations: readonly Taken[]): readonly string[] {
  const names = operations.flatMap(({ schema, table }) =>
    table === undefined ? [] : [schema === undefined ? table : `${schema}.${table}`],
  );
  return [...new Set(names)];
}

/** Whether changes of a table are taken, where the connector names some. */
export function tableFilter(
  tables: readonly string[],
  deadLetters?: DeadLetters | undefined,
): (schema: string, table: string) => boolean {
  if (deadLetters !== undefined) {
    const takes = tableFilter(tables);
    return (schema, table) => takes(schema, table) && !deadLetters.isOf(schema, table);
  }
  if (tables.length === 0) return () => true;
  const names = new Set(tables.map((name) => name.toLowerCase()));
  return (schema, table) => names.has(table.toLowerCase()) || names.has(`${schema}.${table}`.toLowerCase());
}
