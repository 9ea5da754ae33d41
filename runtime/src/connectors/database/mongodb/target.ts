import type { CallDescription, CallRequest, CallResult, Execute } from '../../../contracts/target.ts';
import { Failure } from '../../../errors/failure.ts';
import { askedOf, lookupIn } from './asked.ts';
import { checkCollection } from './changes/spec.ts';
import type { DatabaseClient } from './client.ts';
import { asBytes, decodeDocument, readBytes } from './documents/decoder.ts';
import { Encoder } from './documents/encoder.ts';
import { FilterBuilder } from './documents/filter.ts';
import { PipelineBuilder } from './documents/pipeline.ts';
import { refusedValue } from './documents/refused.ts';
import { pageOf } from './page.ts';
import { type Plan, planOf } from './plan.ts';
import { Writes } from './writes.ts';

/** One call with everything that is decided. */
interface Prepared {
  readonly plan: Plan;
  readonly call: CallDescription;
  readonly client: DatabaseClient;
  /** Where it is written, for messages. */
  readonly where: string;
}

/** Prepares one place of the configuration. `nameable`: the collections that a message may name; undefined: any. */
export function prepareCall(
  client: DatabaseClient,
  call: CallDescription,
  nameable: readonly string[] | undefined,
): Execute {
  const where = `flow "${call.flow}" (${call.label})`;
  const plan = planOf(call);
  if (typeof plan === 'string') {
    return () => {
      throw new Failure('connector_failed', `${where}: ${plan}`, { retriable: false });
    };
  }
  const prepared: Prepared = { plan, call, client, where };
  const writes = new Writes(plan, call, client, where);
  const ask = plan.pipeline !== undefined ? aggregate : plan.writes ? undefined : find;
  return async (request) => {
    const collection = call.target ?? namedCollection(request.target, nameable, where);
    return ask === undefined ? writes.run(collection, request) : ask(prepared, collection, request);
  };
}

/** A collection that came with the message: a plain name, and one of those that may be named. */
function namedCollection(target: string | undefined, nameable: readonly string[] | undefined, where: string): string {
  if (target === undefined || target === '')
    throw new Failure('connector_failed', `${where}: there is no target`, { retriable: false });
  const isListed = nameable === undefined || nameable.includes(target);
  if (!isListed || checkCollection(target) !== undefined)
    throw refusedValue('target', 'unknown_table', 'names a collection that may not be used');
  return target;
}

function find({ plan, call, client }: Prepared, name: string, request: CallRequest): Promise<CallResult> {
  const { timeout, exact } = call;
  return client.run({ writes: false, timeout, signal: request.signal }, async ({ database, types }, options) => {
    const { filters, page } = askedOf(request, call);
    const built = new FilterBuilder(new Encoder(types)).build(filters, plan.filters);
    const part = { ...pageOf(page), ...(plan.action === 'find one' && { limit: 1 }) };
    // The server takes a limit of 0 for none.
    if (part.limit === 0) return { rows: [] };
    const found = await database
      .collection(name)
      .find(built, { ...options, ...part, ...asBytes })
      .toArray();
    return { rows: found.map((bytes) => decodeDocument(readBytes(bytes, types), exact)) };
  });
}

function aggregate({ plan, call, client, where }: Prepared, name: string, request: CallRequest): Promise<CallResult> {
  const { timeout, exact } = call;
  const { writes, pipeline } = plan as Plan & { readonly pipeline: NonNullable<Plan['pipeline']> };
  const execution = { writes, isMany: writes, timeout, signal: request.signal };
  return client.run(execution, async ({ database, types }, options) => {
    const stages = new PipelineBuilder(new Encoder(types)).build(pipeline, lookupIn(request), where);
    const found = await database
      .collection(name)
      .aggregate(stages, { ...options, ...asBytes })
      .toArray();
    return { rows: found.map((bytes) => decodeDocument(readBytes(bytes, types), exact)) };
  });
}
