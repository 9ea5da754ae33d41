import type { CallRequest, Execute, WriteEach } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { type Action, actionOf } from './actions.ts';
import type { SearchClient } from './client/client.ts';
import { listedIndex } from './index-name.ts';
import { placeOf } from './place.ts';
import { aggregate, count, get, hits, search } from './reads/read.ts';
import type { Call, Limits, Perform, SearchDescription, SearchRequest } from './request.ts';
import { bulk } from './writes/bulk.ts';
import { deleteByQuery, updateByQuery } from './writes/by-query.ts';
import { documentWriter } from './writes/rows.ts';
import { create, index, remove, update } from './writes/write.ts';

const performers: Readonly<Record<Action, Perform>> = {
  search,
  get,
  count,
  aggregate,
  hits,
  index,
  create,
  update,
  delete: remove,
  bulk,
  update_by_query: updateByQuery,
  delete_by_query: deleteByQuery,
};

/** What a prepared call needs of its connector. */
export interface Engine {
  readonly connector: string;
  /** Milliseconds for one attempt. */
  readonly timeout: number;
  /** Index of calls that name none. */
  readonly index: string | undefined;
  readonly limits: Limits;
  /** Throws while the connector is not open. */
  readonly client: () => SearchClient;
}

/** Prepares one place of the configuration. */
export function prepareCall(engine: Engine, call: SearchDescription): Execute {
  const begin = beginCall(engine, call);
  if (typeof begin === 'string') {
    return () => {
      throw new Failure('connector_failed', begin, { retriable: false });
    };
  }
  return async (request) => {
    const made = begin(request);
    return performers[made.action](made);
  };
}

/** Prepares to write many documents by one `_bulk`; undefined for what does not write whole documents. */
export function prepareEach(engine: Engine, call: SearchDescription): WriteEach | undefined {
  const begin = call.verb === 'create' ? beginCall(engine, call) : undefined;
  const action = actionOf(call.operation, 'create');
  if (typeof begin !== 'function' || (action !== 'index' && action !== 'create')) return undefined;
  return documentWriter(begin);
}

/** Decides what no message changes, and begins the call of each. A text says why it cannot be called whatever the message. */
function beginCall(engine: Engine, call: SearchDescription): string | ((request: CallRequest) => Call) {
  const where = `flow "${call.flow}" (${call.label})`;
  const { written = {}, words = {} } = call;
  const decided = placeOf({ ...call, written, words }, engine.index);
  if (typeof decided === 'string') return `${where}: ${decided}`;
  const { fields, script } = words;
  const place = { ...decided, where, fields, script, exact: call.exact, parameters: call.parameters ?? [] };
  const { action } = decided;
  return (request) => {
    const client = engine.client();
    return {
      client,
      action,
      index: indexOf(call, request, engine),
      request: request as SearchRequest,
      asking: {
        signal: request.signal,
        traceparent: request.traceparent,
        tracestate: request.tracestate,
        end: client.clock.elapsed() + (call.timeout ?? Number.POSITIVE_INFINITY),
      },
      place,
      limits: engine.limits,
    };
  };
}

/** The index of a message: the one that is written, the one that it names, or that of the connector. */
function indexOf(
  { target }: SearchDescription,
  request: { readonly target?: string | undefined },
  engine: Engine,
): string {
  if (target !== undefined) return target;
  if (request.target !== undefined) return listedIndex(request.target, engine.limits.indices);
  if (engine.index !== undefined) return engine.index;
  const message = `connector "${engine.connector}" has no index, and the call names none: write target, or index into the connector`;
  throw new Failure('connector_failed', message, { retriable: false });
}
