import type { Column, NamedKey, UniqueKey } from './column.ts';
import { type NamedTable, type Quoting, quoteTable } from './named-table.ts';

/** What a table has beside its columns; what is not said it does not have. */
export interface TableTraits {
  readonly uniqueKeys?: readonly NamedKey[];
  readonly takesMany?: boolean;
  readonly hasHeirs?: boolean;
  readonly place?: NamedTable;
}

/** What the engine says about a table: asked once and kept until a name turns out to be unknown. */
export class Table {
  /** As it was asked for, for messages. */
  readonly name: string;
  readonly quoted: string;
  /** Schema and name as the engine has them; as it was asked for where the engine does not say. */
  readonly place: NamedTable;
  /** In the order of the table. */
  readonly columns: readonly Column[];
  /** The columns that the values of an INSERT without names are for, in this order. */
  readonly inserted: readonly Column[];
  /** Keys of which no two rows have the same values, in the order of the engine. */
  readonly uniqueKeys: readonly UniqueKey[];
  /** Whether rows that are written at once, in one transaction, become what each would alone. */
  readonly takesMany: boolean;
  /** Whether a read gives rows of other tables too, which may have the same keys. */
  readonly hasHeirs: boolean;
  private readonly exact: ReadonlyMap<string, Column>;
  private readonly folded: ReadonlyMap<string, Column>;

  constructor(
    name: string,
    found: NamedTable,
    columns: readonly Omit<Column, 'quoted'>[],
    quoting: Quoting,
    { uniqueKeys = [], takesMany = false, hasHeirs = false, place = found }: TableTraits = {},
  ) {
    this.name = name;
    this.takesMany = takesMany;
    this.hasHeirs = hasHeirs;
    this.quoted = quoteTable(found, quoting);
    this.place = place;
    const full = columns.map((column) => ({ ...column, quoted: quoting.quote(column.name) }));
    this.columns = full;
    this.inserted = full.filter(({ isPassedOver }) => isPassedOver !== true);
    this.exact = new Map(full.map((column) => [column.name, column]));
    this.folded = new Map(full.map((column) => [column.name.toLowerCase(), column]));
    // A table that is changed between the questions for its columns and for its keys has keys of columns that are not known.
    const known = uniqueKeys.filter(({ names }) => names.every((each) => this.exact.has(each)));
    this.uniqueKeys = known.map(({ name: key, names, isPrimary }) => ({
      name: key,
      columns: names.map((each) => this.exact.get(each) as Column),
      isPrimary,
    }));
  }

  /** The column that an unquoted `name` means. */
  column(name: string): Column | undefined {
    return this.exact.get(name) ?? this.folded.get(name.toLowerCase());
  }
}

/** The tables that were asked for so far. A driver answers `undefined` when the table does not exist. */
export class Tables<L extends Table | undefined | Promise<Table | undefined>> {
  private readonly known = new Map<string, Table>();
  private readonly load: (target: string) => L;

  constructor(load: (target: string) => L) {
    this.load = load;
  }

  /** What is known without asking. */
  peek(target: string): Table | undefined {
    return this.known.get(target);
  }

  /** Asks the engine, whatever is known. */
  read(target: string): L {
    const loaded = this.load(target);
    if (loaded instanceof Promise) {
      return loaded.then((table) => this.keep(target, table)) as L;
    }
    return this.keep(target, loaded) as L;
  }

  forget(target?: string): void {
    if (target === undefined) this.known.clear();
    else this.known.delete(target);
  }

  private keep(target: string, table: Table | undefined): Table | undefined {
    if (table === undefined) this.known.delete(target);
    else this.known.set(target, table);
    return table;
  }
}
