import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { CallDescription, CallRequest, Execute } from '../../foundation/contracts/target.ts';
import type { FixedWords } from '../../foundation/contracts/words.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { addressRow } from '../core/row-address.ts';
import type { ownWords } from './block.ts';
import { type Engine, type Execution, runOn } from './engine.ts';
import { answerMade } from './made-row.ts';
import { type Respelled, respell, withSpelling } from './statement/comparisons.ts';
import { isReserved, tableParts } from './statement/identifier.ts';
import { keyAfter, keysetOf } from './statement/keyset.ts';
import { type Page, paged, pageWords } from './statement/page.ts';
import { Query } from './statement/query.ts';
import { keysOf } from './statement/row-keys.ts';
import { RowStatements, type RowVerb, refused, refuseUnknown, UnknownColumns } from './statement/rows.ts';
import type { Table } from './statement/table.ts';
import { conflictKey } from './statement/upsert.ts';

type Call = CallDescription<FixedWords<typeof ownWords>>;
type Answer = CallResult | Promise<CallResult>;

const words: Readonly<Record<string, RowVerb>> = {
  SELECT: 'read',
  INSERT: 'create',
  UPSERT: 'create',
  UPDATE: 'update',
  DELETE: 'delete',
};
/** Tables that one place with a dynamic target keeps statements for. */
const keptTables = 32;

/** Prepares one place of the configuration: its own `query`, or statements generated for its table. */
export function prepareCall(engine: Engine, call: Call): Execute {
  const where = `flow "${call.flow}" (${call.label})`;
  const query = call.query ?? statementIn(call.operation);
  if (query === undefined) return prepareRows(engine, call, where);
  return call.page === undefined ? prepareQuery(engine, call, query, where) : preparePage(engine, call, query, where);
}

/** Finds a page by the key of the row before it where the query and its table have one, since rows are not counted then. */
function preparePage(engine: Engine, call: Call, query: string, where: string): Execute {
  const { page } = call;
  const counted = prepareQuery(engine, call, query, where);
  const keyset = page && keysetOf(page.query, engine.dialect, page);
  if (page === undefined || keyset === undefined) return counted;
  const { table: target } = keyset;
  const behind = prepareQuery(engine, call, keyset.text, where);
  return (request) => {
    const { after } = request;
    if (after === undefined) return counted(request);
    return later(engine.tables.peek(target) ?? engine.tables.read(target), (table) => {
      const key = table && keyAfter(keyset, after, table, engine.dialect);
      return key === undefined ? counted(request) : behind(request, { [page.after]: key });
    });
  };
}

/** The same, with parameters beside those of the request. */
type QueryExecute = (request: CallRequest, given?: Readonly<Record<string, unknown>>) => Answer;

/** `operation = "SELECT ..."` means a query. */
function statementIn(operation: string | undefined): string | undefined {
  return operation !== undefined && /^\s*(select|with)\s/i.test(operation) ? operation : undefined;
}

function prepareQuery(engine: Engine, call: Call, source: string, where: string): QueryExecute {
  const query = new Query(source, engine.dialect, where);
  const kind = call.fresh === true ? { ...query.kind, reads: false } : query.kind;
  const execution: Execution = { kind, exact: call.exact, timeout: call.timeout };
  const tableOf = (target: string) => engine.tables.peek(target) ?? engine.tables.read(target);
  return (request, given) => {
    const { params } = request;
    if (isList(params)) {
      const item = (at: string | number) => params[Number(at)];
      const run = (respelled: Respelled) => {
        const list = respelled === undefined ? params : params.map((_, at) => withSpelling(item, respelled)(at));
        return runOn(engine, query.bindList(list), execution, request);
      };
      return later(respell(query.listComparisons, item, engine.dialect, tableOf), run);
    }
    const lookup = lookupIn(request, given === undefined ? params : { ...params, ...given });
    const run = (respelled: Respelled) =>
      runOn(engine, query.bind(withSpelling(lookup, respelled), request.filters !== undefined), execution, request);
    return later(respell(query.comparisons, lookup, engine.dialect, tableOf), run);
  };
}

/** Parameters win over the payload, and the payload over the filters. */
function lookupIn(request: CallRequest, params: Readonly<Record<string, unknown>> | undefined) {
  const { payload, filters } = request;
  return (name: string | number): unknown => {
    if (params !== undefined && Object.hasOwn(params, name) && params[name] !== undefined) return params[name];
    if (payload !== undefined && Object.hasOwn(payload, name) && payload[name] !== undefined) return payload[name];
    return filters !== undefined && Object.hasOwn(filters, name) ? filters[name] : undefined;
  };
}

function isList(params: CallRequest['params']): params is readonly unknown[] {
  return Array.isArray(params);
}

function prepareRows(engine: Engine, call: Call, where: string): Execute {
  const problem = problemOf(call);
  if (problem !== undefined) {
    return () => {
      throw new Failure('connector_failed', `${where}: ${problem}`, { retriable: false });
    };
  }
  const verb = call.verb as RowVerb;
  const execution: Execution = {
    kind: {
      reads: verb === 'read',
      inserts: verb === 'create' && !isUpsert(call),
      changesSchema: false,
      changesSession: false,
    },
    exact: call.exact,
    timeout: call.timeout,
  };
  const made = new Map<string, { readonly table: Table; readonly statements: RowStatements }>();

  const names = isUpsert(call) ? call.words?.conflict : undefined;
  const statementsFor = (table: Table, target: string): RowStatements | string => {
    const kept = made.get(target);
    if (kept?.table === table) return kept.statements;
    const conflict = names && conflictKey(table, names);
    if (typeof conflict === 'string') return conflict;
    if (made.size >= keptTables) made.clear();
    const statements = new RowStatements(verb, table, engine.dialect, conflict);
    made.set(target, { table, statements });
    return statements;
  };

  const complete = answerMade(engine, execution);
  const changes = verb === 'update' || verb === 'delete';
  const parted = partedBy(call);
  const withTable = (table: Table | undefined, target: string, request: CallRequest, fresh: boolean): Answer => {
    if (table === undefined) throw tableMissing(engine, target, where, call.target === undefined);
    const addressed = changes ? addressRow(request, keysOf(table, engine.dialect)) : request;
    const { payload } = addressed;
    const { filters, page } = parted({ ...addressed, params: request.params }, table);
    refuseEmpty(verb, payload, where);
    refuseUnfiltered(verb, filters, where);
    const statements = statementsFor(table, target);
    const bound =
      typeof statements === 'string'
        ? statements
        : statements.bind(
            verb === 'delete' || verb === 'read' ? undefined : payload,
            filters,
            verb === 'read' && page === undefined ? request.columns : undefined,
          );
    if (typeof bound !== 'string' && !(bound instanceof UnknownColumns)) {
      const whole = page === undefined ? bound : paged(bound, page, table, engine.dialect);
      const answer = runOn(engine, whole, execution, request);
      if (verb !== 'create' || engine.dialect.returning) return answer;
      const answered = names === undefined ? answer : later(answer, engine.dialect.upserts.answer);
      return later(answered, (result) => complete({ table, payload: payload ?? {}, conflict: names }, result, request));
    }
    if (fresh) throw typeof bound === 'string' ? conflictUnusable(bound, where) : refuseUnknown(table, bound);
    return later(engine.tables.read(target), (read) => withTable(read, target, request, true));
  };

  return (request) => {
    const target = call.target ?? dynamicTarget(request.target, engine, where);
    refuseEmpty(verb, request.payload, where);
    if (request.naming === undefined) refuseUnfiltered(verb, request.filters, where);
    const known = engine.tables.peek(target);
    if (known !== undefined) return withTable(known, target, request, false);
    return later(engine.tables.read(target), (table) => withTable(table, target, request, true));
  };
}

type Parted = { readonly filters: CallRequest['filters']; readonly page?: Page | undefined };

/**
 * Divides what a message asks with: a declared parameter that is a column finds rows by it, `limit`, `offset` and `sort`
 * page those that are found, and any other has no effect.
 */
function partedBy({
  parameters = [],
  verb,
}: CallDescription): (request: Pick<CallRequest, 'filters' | 'params'>, table: Table) => Parted {
  if (parameters.length === 0) return ({ filters }) => ({ filters });
  return ({ filters = {}, params }, table) => {
    const asked: Record<string, unknown> = { ...filters };
    if (verb === 'read' && params !== undefined && !isList(params))
      for (const name of parameters) if (Object.hasOwn(params, name)) asked[name] = params[name];
    const kept: Record<string, unknown> = {};
    const page: Record<string, unknown> = {};
    for (const name of Object.keys(asked)) {
      if (!parameters.includes(name) || table.column(name) !== undefined) kept[name] = asked[name];
      else if (verb === 'read' && pageWords.some((word) => word === name)) page[name] = asked[name];
    }
    return { filters: kept, page: Object.keys(page).length > 0 ? page : undefined };
  };
}

/** What is wrong with the call whatever the message, or undefined. */
export function problemOf(call: Call): string | undefined {
  const word = call.operation?.trim().toUpperCase();
  if (call.verb === 'call') return 'a database answers a query or a table; write `query` or `target`';
  if (word !== undefined && word !== '' && words[word] === undefined) {
    return `the database does not know the operation "${call.operation}"; SELECT, INSERT, UPSERT, UPDATE and DELETE work on a table, anything else is written in \`query\``;
  }
  if (isUpsert(call) && (call.words?.conflict ?? []).length === 0)
    return 'UPSERT finds the row by `conflict`, which names no column';
  if (call.target !== undefined && tableParts(call.target) === undefined) {
    return `"${call.target}" is not the name of a table; write the statement in \`query\``;
  }
  return undefined;
}

/** A row that exists is changed instead of inserted. */
export function isUpsert({ verb, operation }: Pick<Call, 'verb' | 'operation'>): boolean {
  return verb === 'create' && operation?.trim().toUpperCase() === 'UPSERT';
}

function conflictUnusable(problem: string, where: string): Failure {
  return new Failure('connector_failed', `${where}: conflict: ${problem}`, { retriable: false });
}

/** A table that came with the message: only a plain name, and never a table of the engine or the runtime. */
function dynamicTarget(
  target: string | undefined,
  { nameable, dialect }: Pick<Engine, 'nameable' | 'dialect'>,
  where: string,
): string {
  if (target === undefined || target === '') {
    throw new Failure('connector_failed', `${where}: there is neither a target nor a query`, { retriable: false });
  }
  const isListed = nameable === undefined || nameable.includes(target);
  if (tableParts(target) === undefined || isReserved(target, dialect) || !isListed) {
    throw refused([
      { field: 'target', code: 'unknown_table', message: 'the message names a table that may not be used' },
    ]);
  }
  return target;
}

function refuseEmpty(verb: RowVerb, payload: CallRequest['payload'], where: string): void {
  if ((verb === 'create' || verb === 'update') && isEmpty(payload)) {
    throw new Failure('nothing_to_write', `${where}: there is nothing to write: the payload has no fields`);
  }
}

function refuseUnfiltered(verb: RowVerb, filters: CallRequest['filters'], where: string): void {
  if ((verb === 'update' || verb === 'delete') && isEmpty(filters)) {
    const word = verb.toUpperCase();
    throw new Failure(
      'filter_missing',
      `${where}: this ${word} has no filter and would change every row. Give the key in \`transform\` or \`params\`, or write the statement in \`query\` if that is meant`,
    );
  }
}

function isEmpty(fields: Readonly<Record<string, unknown>> | undefined): boolean {
  for (const name in fields) if (fields[name] !== undefined) return false;
  return true;
}

function tableMissing(engine: Engine, target: string, where: string, dynamic: boolean): Failure {
  if (dynamic) return refused([{ field: 'target', code: 'unknown_table', message: `there is no table "${target}"` }]);
  return new Failure(
    'connector_failed',
    `${where}: connector "${engine.connector}" has no table "${target}". Run \`svc migrate\` if a migration creates it, or correct the name`,
    { retriable: false },
  );
}

/** Continues at once when the value is there, so that a synchronous engine stays synchronous. */
export function later<A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}
