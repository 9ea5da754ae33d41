import type { WriteRows } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { Frame } from '../message/frame.ts';
import type { CallWords, ConnectorUse, FlowTools } from '../tools.ts';
import { describe, FlowRequest } from './call.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Makes ready to write rows for a message; undefined: they are written one after another. */
export type PrepareRowsCall = (
  frame: Frame,
  rows: readonly Fields[],
) => WriteRows | undefined | Promise<WriteRows | undefined>;

/**
 * The same as `prepareCall` for many rows at once: counted and timed as one call, its failures carry the connector's
 * name, and nothing is written once what the flow holds is lost. Undefined when the connector writes each row alone.
 */
export function prepareRowsCall(use: ConnectorUse, words: CallWords, tools: FlowTools): PrepareRowsCall | undefined {
  const prepare = use.target?.prepareRows?.(describe(words));
  if (prepare === undefined) return undefined;
  const measured = measuring(use, tools);
  return async (frame, rows) => {
    const write = await prepare(rows);
    return write && ((within) => measured(frame, () => write(within)));
  };
}

/** Writes the first of some rows for a message, each by itself, as `WriteEach` says. */
export type WriteEachCall = (frame: Frame, rows: readonly Fields[]) => Promise<readonly (Failure | undefined)[]>;

/** The same for a connector that writes many rows in one exchange, and each of them by itself. */
export function prepareEachCall(use: ConnectorUse, words: CallWords, tools: FlowTools): WriteEachCall | undefined {
  const write = use.target?.prepareEach?.(describe(words));
  if (write === undefined) return undefined;
  const { name: connector } = use;
  const measured = measuring(use, tools);
  return async (frame, rows) => {
    const outcomes = await measured(frame, () => write(rows, new FlowRequest(frame)));
    return outcomes.map((error) => (error === undefined ? undefined : asFailure(error, { connector })));
  };
}

/** Counts and times an exchange as one call, and begins none once what the flow holds is lost. */
function measuring({ name: connector, type }: ConnectorUse, tools: FlowTools) {
  const { observer, clock } = tools.services;
  return async <T>(frame: Frame, exchange: () => Promise<T>): Promise<T> => {
    tools.checkHeld?.(frame);
    const began = clock.reading();
    const seconds = () => clock.since(began) / 1000;
    try {
      const answer = await exchange();
      observer.connectorCall(connector, type, 'write', 'success', seconds());
      return answer;
    } catch (error) {
      const failure = asFailure(error, { connector });
      observer.connectorCall(connector, type, 'write', failure.kind.callers ? 'refused' : 'error', seconds());
      throw failure;
    }
  };
}
