import type { CallRequest } from '../../contracts/target.ts';
import { asFailure } from '../../errors/classify.ts';
import { Failure } from '../../errors/failure.ts';
import type { CallWords, ConnectorUse, FlowTools, NamedOperation } from '../tools.ts';
import { describe } from './call.ts';
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
  const { observer, clock } = tools.services;
  const parameters = named?.parameters;
  const described = {
    ...words,
    name: named?.name,
    named: named?.own,
    ...(parameters && { parameters: parameters.names }),
  };
  const scan = use.target?.prepareScan?.(describe(described));
  if (scan === undefined) {
    return () => {
      const message = `connector "${connector}" gives no rows one after another`;
      throw new Failure('connector_failed', message, { at: { connector }, retriable: false });
    };
  }
  const measured = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = clock.elapsed();
    const seconds = () => (clock.elapsed() - began) / 1000;
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
  return (request) => {
    if (parameters !== undefined) settleRequest(parameters, request);
    const rows = scan(request)[Symbol.asyncIterator]();
    const take = async (count: number) => {
      const taken: Row[] = [];
      while (taken.length < count) {
        const next = await rows.next();
        if (next.done) break;
        taken.push(next.value);
      }
      return taken;
    };
    return {
      skip: async (count) => {
        for (let left = count; left > 0; left--) if ((await rows.next()).done) return;
      },
      take: (count) => measured(() => take(count)),
      end: async () => void (await rows.return?.()),
    };
  };
}
