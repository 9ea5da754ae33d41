import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { CallDescription, CallRequest, Execute } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { askedOf, builtFilter, lookupIn, namedParams } from './asked.ts';
import { checkCollection } from './changes/spec.ts';
import type { DatabaseClient } from './client.ts';
import { asBytes } from './documents/decoder.ts';
import { Encoder } from './documents/encoder.ts';
import { FilterBuilder } from './documents/filter.ts';
import { PipelineBuilder } from './documents/pipeline.ts';
import { refusedValue } from './documents/refused.ts';
import { pageOf } from './page.ts';
import { isMisplanned, type Plan, planOf } from './plan.ts';
import { type Rows, readRows } from './rows.ts';
import { type Command, readCommand } from './transactions/command.ts';
import { runStatement } from './transactions/statement.ts';
import { Writes } from './writes/writes.ts';

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
  const statement = statementOf(call);
  if (statement !== undefined) return readStatement(client, statement);
  const plan = planOf(call);
  if (isMisplanned(plan)) {
    return () => {
      throw new Failure('connector_failed', `${where}: ${plan.problem}`, { retriable: false });
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

function find(prepared: Prepared, name: string, request: CallRequest): Promise<CallResult> {
  const { plan, call, client, where } = prepared;
  return client.run(
    { writes: false, timeout: call.timeout, signal: request.signal },
    async ({ database, types }, options) => {
      const { page } = askedOf(request, call, plan);
      const built = builtFilter(plan, request, call, new FilterBuilder(new Encoder(types)), where);
      const part = { ...pageOf(page, client.bounds.rows), ...(plan.action === 'find one' && { limit: 1 }) };
      // The server takes a limit of 0 for none.
      if (part.limit === 0) return { rows: [] };
      // One more tells that there are more.
      const limit = part.limit ?? client.bounds.rows + 1;
      const cursor = database.collection(name).find(built, { ...options, ...part, limit, ...asBytes });
      return { rows: await readRows(cursor, { ...bounds(prepared), types }) };
    },
  );
}

function aggregate(prepared: Prepared, name: string, request: CallRequest): Promise<CallResult> {
  const { plan, call, client, where } = prepared;
  const { writes, pipeline } = plan as Plan & { readonly pipeline: NonNullable<Plan['pipeline']> };
  const execution = { writes, isMany: writes, timeout: call.timeout, signal: request.signal };
  return client.run(execution, async ({ database, types }, options) => {
    const stages = new PipelineBuilder(new Encoder(types)).build(pipeline, lookupIn(request), where);
    const cursor = database.collection(name).aggregate(stages, { ...options, ...asBytes });
    return { rows: await readRows(cursor, { ...bounds(prepared), types }) };
  });
}

function bounds({ client, call, where }: Prepared): Omit<Rows, 'types'> {
  return { ...client.bounds, exact: call.exact, where };
}

/** A statement of a transaction that a dry run carries out alone, since it only reads. */
function statementOf({ query, verb, label }: CallDescription): Command | undefined {
  if (query === undefined || verb !== 'read' || label !== 'transaction') return undefined;
  const command = readCommand(query);
  return typeof command !== 'string' && (command.kind === 'find' || command.kind === 'aggregate') ? command : undefined;
}

function readStatement(client: DatabaseClient, command: Command): Execute {
  return ({ params, signal }) =>
    client.run({ writes: false, timeout: undefined, signal }, (opened, { maxTimeMS }) =>
      runStatement(command, namedParams(params), { opened, bounds: client.bounds, session: undefined, maxTimeMS }),
    );
}
