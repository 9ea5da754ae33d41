import type { CallRequest, Scan } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { whenDone } from '../message/when-done.ts';
import { mismatch, problemsIn } from '../stages/validate/checker.ts';
import type { CallWords, ConnectorUse, FlowTools, NamedOperation } from '../tools.ts';
import { describe, prepareCall } from './call.ts';
import { settleRequest } from './operation-parameters.ts';

type Row = Readonly<Record<string, unknown>>;

/** The rows of one scan, taken in order. */
export interface RowsOfScan {
  /** Passes over rows. */
  skip(count: number): Promise<void>;
  /** The next rows; fewer than `count` are the last ones. */
  take(count: number): Promise<readonly Row[]>;
  /** Frees what the scan holds. */
  end(): Promise<void>;
}

/** Prepares to read a source of any size: what is taken together is counted and timed as one call. */
export function prepareScanCall(
  use: ConnectorUse,
  words: CallWords,
  tools: FlowTools,
  named: NamedOperation | undefined,
): (request: CallRequest) => RowsOfScan {
  const { name: connector, type } = use;
  const parameters = named?.parameters;
  const described = {
    ...words,
    name: named?.name,
    named: named?.own,
    ...(parameters && { parameters: parameters.names }),
  };
  const scan = use.target?.prepareScan?.(describe(described));
  if (scan === undefined) return scanAtOnce(use, words, tools, named);
  const measured = measuring(connector, type, tools);
  const check = rowCheck(named, words.label, tools);
  return (request) => {
    if (parameters !== undefined) settleRequest(parameters, request);
    return new TakenRows(scan(request), measured, check);
  };
}

/** A connector that answers all rows at once, such as one that takes the place of another in a test. */
function scanAtOnce(
  use: ConnectorUse,
  words: CallWords,
  tools: FlowTools,
  named: NamedOperation | undefined,
): (request: CallRequest) => RowsOfScan {
  const execute = prepareCall(use, words, tools, named);
  const scan: Scan = async function* (request) {
    const { rows = [] } = await execute(request);
    yield* rows;
  };
  return (request) => new TakenRows(scan(request), (work) => work(), undefined);
}

type Measure = <T>(work: () => Promise<T>) => Promise<T>;

class TakenRows implements RowsOfScan {
  readonly #rows: AsyncIterator<Row>;
  readonly #measured: Measure;
  readonly #check: ((row: Row) => void | Promise<void>) | undefined;

  constructor(rows: AsyncIterable<Row>, measured: Measure, check: ((row: Row) => void | Promise<void>) | undefined) {
    this.#rows = rows[Symbol.asyncIterator]();
    this.#measured = measured;
    this.#check = check;
  }

  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; left--) if ((await this.#rows.next()).done) return;
  }

  take(count: number): Promise<readonly Row[]> {
    return this.#measured(async () => {
      const taken: Row[] = [];
      while (taken.length < count) {
        const next = await this.#rows.next();
        if (next.done) break;
        const waits = this.#check?.(next.value);
        if (waits !== undefined) await waits;
        taken.push(next.value);
      }
      return taken;
    });
  }

  async end(): Promise<void> {
    await this.#rows.return?.();
  }
}

/** Holds each row to the type that the operation declares of what comes back. */
function rowCheck(named: NamedOperation | undefined, label: string, { type }: FlowTools) {
  const output = type(named?.output);
  if (output === undefined) return undefined;
  return (row: Row) =>
    whenDone(problemsIn(output, row), (problems) => {
      if (problems) throw mismatch('output_invalid', `${label}: what came back`, output, problems);
    });
}

function measuring(connector: string, type: string, { services: { observer, clock } }: FlowTools): Measure {
  return async (work) => {
    const began = clock.reading();
    const seconds = () => clock.since(began) / 1000;
    try {
      const answer = await work();
      observer.connectorCall(connector, type, 'read', 'success', seconds());
      return answer;
    } catch (error) {
      const failure = asFailure(error, { connector });
      observer.connectorCall(connector, type, 'read', failure.kind.callers ? 'refused' : 'error', seconds());
      throw failure;
    }
  };
}
