import { mostKnown } from '../../../../foundation/contracts/connector.ts';
import type { SourceCounts } from '../../../../foundation/contracts/observer.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import type { TableName } from './decoder.ts';

/** Passes over tables that were emptied (`TRUNCATE`): each is counted, and the first of each table is logged. */
export class Emptied {
  readonly #log: Log;
  readonly #counts: Pick<SourceCounts, 'passedOver'>;
  readonly #known = new Set<string>();

  constructor(log: Log, counts: Pick<SourceCounts, 'passedOver'>) {
    this.#log = log;
    this.#counts = counts;
  }

  pass({ schema, table }: TableName): void {
    this.#counts.passedOver('truncate');
    const name = `${schema}.${table}`;
    if (this.#known.has(name) || this.#known.size >= mostKnown) return;
    this.#known.add(name);
    this.#log.warn('a table was emptied (TRUNCATE): no flow is notified, since no row is named', { table: name });
  }
}
