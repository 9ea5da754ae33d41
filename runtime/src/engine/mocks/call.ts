import { Fields } from '@svc/protocol/cel';
import { addressRow, plainKeys } from '../../connectors/core/row-address.ts';
import type { CallDescription, CallRequest, Verb } from '../../foundation/contracts/target.ts';
import { verbOfStatement } from '../flow/verb.ts';

/** A call of a connector as the code that answers in its place sees it. */
export interface AskedCall {
  readonly connector: string;
  readonly verb: Verb;
  /** The operation of the call or, without one, the SQL word of what it does: `INSERT`, `POST /orders`. */
  readonly operation: string;
  /** Table, path or queue; empty when it names none. */
  readonly target: string;
  /** The statement; empty when the call has no statement. */
  readonly query: string;
  /** Filters, fields and parameters together. Those of a positional statement have their positions for names. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Expressions read the answer, so that whole numbers must be integers. */
  readonly exact: boolean;
}

const words: Readonly<Record<Verb, string>> = {
  read: 'SELECT',
  create: 'INSERT',
  update: 'UPDATE',
  delete: 'DELETE',
  call: 'CALL',
};

/** What a message asks of a prepared call. */
export function askedCall(connector: string, call: CallDescription, request: CallRequest): AskedCall {
  const { verb, operation, query = '', exact } = call;
  const target = call.target ?? request.target ?? '';
  return { connector, verb, operation: operation ?? words[verb], target, query, input: inputOf(verb, request), exact };
}

/** A statement of a transaction. */
export function askedStatement(connector: string, query: string, params: Readonly<Record<string, unknown>>): AskedCall {
  const verb = verbOfStatement(query);
  return { connector, verb, operation: words[verb], target: '', query, input: { ...params }, exact: true };
}

function inputOf(verb: CallDescription['verb'], request: CallRequest): Readonly<Record<string, unknown>> {
  const input = new Fields() as Record<string, unknown>;
  const { filters, payload } = verb === 'update' || verb === 'delete' ? addressRow(request, plainKeys) : request;
  return Object.assign(input, filters, payload, request.params);
}
