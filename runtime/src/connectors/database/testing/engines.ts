import type { DatabaseConnector } from '../engine.ts';
import { engines as relational } from '../engines.ts';
import type { OddValue } from './odd-values.ts';
import type { OwnValue } from './own-values.ts';
import { never } from './parts.ts';
import { TestProxy } from './proxy.ts';

/** Asked for each piece that passes; true cuts the connection instead. */
export interface Faults {
  readonly cut?: (sent: Buffer) => boolean;
  readonly lose?: (answered: Buffer) => boolean;
}

/** A database of its own. */
export interface Place {
  /** One more connector of it, which is not open; `written`: further attributes of its block. */
  connector(written?: Readonly<Record<string, unknown>>): DatabaseConnector;
  /** Where it listens, and its address with another port; absent where nothing listens. */
  readonly server?: { readonly host: string; readonly port: number; through(port: number): string } | undefined;
  /** Frees everything; connectors are closed before. */
  end(): Promise<void>;
}

/** What `testing/bed.ts` in the folder of an engine says to the suites that all engines pass. */
export interface EngineBed {
  /** Its server is not there. */
  readonly skip: boolean;
  /** What a column of keys that the database counts is declared as. */
  readonly key: string;
  /** What a column of texts is declared as that can be a key. */
  readonly name: string;
  /** It is a server, with a pool of connections. */
  readonly isServer: boolean;
  /** It knows RETURNING and ON CONFLICT, and folds names of tables. */
  readonly standard: boolean;
  /** What a type of the suites is declared as, where the engine has another name for it. */
  readonly columns: Readonly<Record<string, string>>;
  /** The schema that tables are in. */
  schemaOf(connector: DatabaseConnector): Promise<string>;
  /** What ends a declaration of a table whose rows the engine shall not count by itself. */
  readonly withoutCounter: string;
  /** How it reads true and false; absent: as they are. */
  readonly truth?: ((value: boolean) => unknown) | undefined;
  /** Whether a column of UUIDs holds nothing else. */
  readonly checksUuid: boolean;
  readonly oddValues: readonly OddValue[];
  /** Values of types that other engines do not have. */
  readonly ownValues: readonly OwnValue[];
  place(): Promise<Place>;
}

/** A database of its own for one suite of tests, empty and open. */
export interface OpenEngine {
  readonly connector: DatabaseConnector;
  /** Opens another connector of the same database, as another process has one; closed at the end. */
  readonly another: () => Promise<DatabaseConnector>;
  /** The same over connections that break when a piece of bytes says so; absent where there is no connection. */
  readonly breaking?: ((faults: Faults) => Promise<DatabaseConnector>) | undefined;
  readonly key: string;
  /** Frees everything. */
  readonly end: () => Promise<void>;
}

/** A relational engine that the conformance suites run against. */
export interface Engine extends EngineBed {
  readonly engine: string;
  /** What an INSERT answers by itself: the row that was made, or the key that was counted. */
  readonly answersInserted: 'row' | 'key';
  /** Whether true and false are integers, which they may be written as where they name no row. */
  readonly truthIsInteger: boolean;
  /** A parameter in a text of SQL, counted from 1; undefined where parameters have no number. */
  readonly placeholder: ((number: number) => string) | undefined;
  /** `written`: further attributes of its block. */
  readonly start: (written?: Readonly<Record<string, unknown>>) => Promise<OpenEngine>;
}

/** Every relational engine: a further one has its bed in its folder, and every suite holds it to what the others promise. */
export const engines: readonly Engine[] = await Promise.all(
  Object.entries(relational).map(async ([engine, { dialect }]): Promise<Engine> => {
    const { bed } = (await import(`../${engine}/testing/bed.ts`)) as { readonly bed: EngineBed };
    const { numbered } = dialect.lexis;
    return {
      ...bed,
      engine,
      answersInserted: dialect.returning ? 'row' : 'key',
      truthIsInteger: dialect.booleansAreIntegers,
      placeholder: numbered && ((number) => `${numbered}${number}`),
      start: (written = {}) => started(bed, written),
    };
  }),
);

async function started(bed: EngineBed, written: Readonly<Record<string, unknown>>): Promise<OpenEngine> {
  const place = await bed.place();
  const connectors: DatabaseConnector[] = [];
  const proxies: TestProxy[] = [];
  const another = async (further: Readonly<Record<string, unknown>> = {}) => {
    const connector = place.connector({ ...written, ...further });
    connectors.push(connector);
    await connector.open(never);
    return connector;
  };
  const { server } = place;
  const breaking = async (faults: Faults) => {
    const proxy = new TestProxy({ host: server?.host as string, port: server?.port as number, ...faults });
    proxies.push(proxy);
    return another({ url: server?.through(await proxy.listen()) });
  };
  const end = async () => {
    await Promise.all(connectors.map((connector) => connector.close()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await place.end();
  };
  return {
    connector: await another(),
    another: () => another(),
    breaking: server === undefined ? undefined : breaking,
    key: bed.key,
    end,
  };
}
