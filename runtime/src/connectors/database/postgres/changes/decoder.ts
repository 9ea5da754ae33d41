import { type Pgoutput, PgoutputPlugin } from 'pg-logical-replication';
import { quoteIdentifier } from '../../statement/identifier.ts';
import type { ValueTypes } from '../types.ts';
import type { Row, RowChange } from './change.ts';
import type { Commit } from './progress.ts';
import { type Position, positionText, readPosition, timeText } from './wire.ts';

/** What one message of the plugin means. */
export type Decoded =
  | { readonly kind: 'begin'; readonly id: string; readonly time: string }
  | { readonly kind: 'commit'; readonly commit: Commit }
  | { readonly kind: 'change'; readonly change: DecodedChange }
  /** Whole tables are emptied: no row is named. */
  | { readonly kind: 'truncate'; readonly tables: readonly TableName[] }
  /** A table has columns of types that are not known: they are, when `known` is called after they were asked for. */
  | { readonly kind: 'types'; readonly known: () => void }
  /** Rows of these tables are asked for; none: of all. */
  | { readonly kind: 'request'; readonly prefix: string; readonly tables: readonly string[] };

export interface TableName {
  readonly schema: string;
  readonly table: string;
}

/** A change without what its transaction says of it. */
export type DecodedChange = Omit<RowChange, 'id' | 'timestamp'> & {
  /** Names the row before the change; undefined when the server does not tell which row it was. */
  readonly row: string | undefined;
  /** The row is named otherwise afterwards. */
  readonly isAlone: boolean;
};

/** Reads the messages of `pgoutput` with the values of one database. What it knows of tables is that of one stream. */
export class Decoder {
  readonly #plugin: PgoutputPlugin;
  readonly #types: ValueTypes;

  constructor(publication: string, requests: boolean, types: ValueTypes) {
    this.#plugin = new PgoutputPlugin({
      protoVersion: 1,
      publicationNames: [quoteIdentifier(publication)],
      messages: requests,
    });
    this.#types = types;
  }

  /** Begins the stream of a slot at a position, never before what the slot has confirmed. Settles when the stream ends. */
  start(client: Parameters<PgoutputPlugin['start']>[0], slot: string, position: Position): Promise<unknown> {
    return this.#plugin.start(client, slot, positionText(position));
  }

  /** Undefined for what is of no use here. Throws for a message that cannot be read. */
  decode(bytes: Buffer): Decoded | undefined {
    const message = this.#plugin.parse(bytes);
    switch (message.tag) {
      case 'relation':
        return this.#learn(message);
      case 'begin':
        return { kind: 'begin', id: message.commitLsn ?? '0/0', time: timeText(message.commitTime as bigint) };
      case 'commit':
        return {
          kind: 'commit',
          commit: { end: readPosition(message.commitEndLsn ?? '0/0'), message: Buffer.from(bytes) },
        };
      case 'insert':
      case 'update':
      case 'delete':
        return { kind: 'change', change: changeOf(message) };
      case 'truncate':
        return { kind: 'truncate', tables: message.relations.map(({ schema, name }) => ({ schema, table: name })) };
      case 'message':
        return message.transactional ? requestOf(message) : undefined;
      default:
        return undefined;
    }
  }

  /** The library would read values as its global types say. */
  #learn({ columns }: Pgoutput.MessageRelation): Decoded | undefined {
    const parse = () => {
      for (const column of columns)
        column.parser = textInstead(this.#types.exact.getTypeParser(idOf(column)) as (raw: string) => unknown);
    };
    parse();
    const unknown = columns.map(idOf).filter((type) => !this.#types.knows(type));
    if (unknown.length === 0) return undefined;
    const known = () => {
      for (const type of unknown) this.#types.settle(type);
      parse();
    };
    return { kind: 'types', known };
  }
}

/** The library reads the identifier of a type as if it had a sign. */
function idOf({ typeOid }: Pgoutput.RelationColumn): number {
  return typeOid >>> 0;
}

function changeOf(message: Pgoutput.MessageInsert | Pgoutput.MessageUpdate | Pgoutput.MessageDelete): DecodedChange {
  const { relation } = message;
  const place = { schema: relation.schema, table: relation.name };
  const name = (row: Row) => rowName(relation, row);
  if (message.tag === 'insert')
    return { ...place, trigger: 'INSERT', new: message.new, row: name(message.new), isAlone: false };
  const old = message.old ?? (message.key === null ? undefined : sent(message.key));
  if (message.tag === 'delete') return { ...place, trigger: 'DELETE', old, row: old && name(old), isAlone: false };
  const unchanged = Object.keys(message.new).filter((column) => message.new[column] === undefined);
  const after = unchanged.length === 0 ? message.new : sent(message.new);
  const row = name(message.new);
  const isAlone = old !== undefined && name(old) !== row;
  return { ...place, trigger: 'UPDATE', new: after, old, unchanged, row, isAlone };
}

/** No value keeps those behind it from being read: one that its type cannot make is the text that the server sent. */
function textInstead(parse: (raw: string) => unknown): (raw: string) => unknown {
  return (raw) => {
    try {
      return parse(raw);
    } catch {
      return raw;
    }
  };
}

function requestOf({ prefix, content }: Pgoutput.MessageMessage): Decoded {
  const tables = Buffer.from(content)
    .toString('utf8')
    .split(',')
    .map((table) => table.trim().toLowerCase())
    .filter((table) => table !== '');
  return { kind: 'request', prefix, tables };
}

/** The columns whose values the server sent. */
function sent(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

/**
 * The values by which a row is known: those of its replica identity. With the whole row as identity nothing keeps the name
 * of a row through a change, so that all rows of the table have one.
 */
function rowName({ replicaIdentity, keyColumns }: Pgoutput.MessageRelation, row: Row): string {
  if (replicaIdentity === 'full' || keyColumns.length === 0) return '';
  return keyColumns.map((column) => String(row[column])).join('\u0000');
}
