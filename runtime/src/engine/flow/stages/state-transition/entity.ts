import { Failure } from '../../../../foundation/errors/failure.ts';
import { FlowRequest, prepareCall } from '../../calls/call.ts';
import type { Frame } from '../../message/frame.ts';
import type { FlowTools } from '../../tools.ts';

/** The column that holds the state. */
const column = 'status';

/** Reads and changes the state of one entity. */
export interface Entities {
  /**
   * The value of the column, unchanged; null when it is empty. Rejects with `not_found` when the entity does not exist.
   */
  stateOf(frame: Frame, id: unknown): Promise<unknown>;
  /** Writes the new state if the old one is still stored; false when another writer was faster. */
  move(frame: Frame, id: unknown, old: unknown, next: string): Promise<boolean>;
}

export function compileEntities(flow: string, connector: string, entity: string, tools: FlowTools): Entities {
  const use = tools.connector(connector);
  const label = 'state_transition';
  const read = prepareCall(use, { verb: 'read', target: entity, flow, label }, tools);
  const update = prepareCall(use, { verb: 'update', operation: 'UPDATE', target: entity, flow, label }, tools);
  return {
    stateOf: async (frame, id) => {
      const request = new FlowRequest(frame);
      request.filters = { id };
      const { rows = [] } = await read(request);
      const [row] = rows;
      if (row === undefined) throw new Failure('not_found', `there is no such entity in "${entity}"`);
      return row[column] ?? null;
    },
    move: async (frame, id, old, next) => {
      const request = new FlowRequest(frame);
      request.filters = { id, [column]: old };
      request.payload = { [column]: next };
      const { affected: written = 0, simulated } = await update(request);
      // The write that a dry run skips would have found the entity that was read.
      const affected = simulated ? 1 : written;
      frame.affected += affected;
      return affected > 0;
    },
  };
}
