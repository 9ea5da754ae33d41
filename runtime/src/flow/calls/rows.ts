import type { WriteRows } from '../../contracts/target.ts';
import { asFailure } from '../../errors/classify.ts';
import type { Frame } from '../message/frame.ts';
import type { CallWords, ConnectorUse, FlowTools } from '../tools.ts';
import { describe } from './call.ts';

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
  const { name: connector, type } = use;
  const { observer, clock } = tools.services;
  const measured =
    (frame: Frame, write: WriteRows): WriteRows =>
    async (within) => {
      tools.checkHeld?.(frame);
      const began = clock.elapsed();
      const seconds = () => (clock.elapsed() - began) / 1000;
      try {
        const written = await write(within);
        observer.connectorCall(connector, type, 'write', 'success', seconds());
        return written;
      } catch (error) {
        const failure = asFailure(error, { connector });
        observer.connectorCall(connector, type, 'write', failure.kind.callers ? 'refused' : 'error', seconds());
        throw failure;
      }
    };
  return async (frame, rows) => {
    const write = await prepare(rows);
    return write && measured(frame, write);
  };
}
