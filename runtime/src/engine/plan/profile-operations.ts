import type { ConnectorDeclaration } from '@svc/protocol/model';
import {
  type ParameterDeclaration,
  type ResolvedOperation,
  resolveOperation,
} from '../../connectors/core/operations.ts';
import type { OwnOperation } from '../../connectors/profile/connector.ts';
import type { CallDescription, CallRequest } from '../../foundation/contracts/target.ts';
import { contracted } from '../flow/calls/call.ts';
import type { FlowTools } from '../flow/tools.ts';
import { verbOfStatement, verbOfWord } from '../flow/verb.ts';
import { namedOperation } from './connector-use.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * How a profile carries out the operation that a call names. The flow was compiled by the operation of one profile: the
 * others ask by their own words, and take what the message gives from where that form has it.
 */
export function ownOperation(
  connector: ConnectorDeclaration,
  profile: ConnectorDeclaration,
  call: CallDescription,
  tools: Pick<FlowTools, 'type'>,
): OwnOperation | undefined {
  const own = resolveOperation(profile, call.name ?? call.operation);
  if (own === undefined) return undefined;
  const standard = resolveOperation(connector, own.name) as ResolvedOperation;
  const query = call.query === standard.query ? own.query : call.query;
  const target = own.target ?? (call.target === standard.target ? undefined : call.target);
  const isCalled = profile.spec?.target?.abilities.includes('call') === true;
  const resolved = { ...call, operation: own.operation, query, target, name: own.name, named: own.own };
  const declared = namedOperation(own);
  const described: CallDescription = {
    ...resolved,
    verb: isCalled ? calledVerb(call, query) : rowVerb(resolved),
    timeout: call.timeout ?? own.timeout,
    places: declared.places,
    parameters: declared.parameters?.names,
  };
  return {
    call: described,
    prepare: (execute) => {
      const execution = contracted(execute, call.label, declared, tools);
      return (request) => execution(requestOf(request, call, described, own.params));
    },
  };
}

/** Where another profile has a statement, a step asks as one asks what is called. */
function calledVerb({ verb, query: written }: CallDescription, query: string | undefined): CallDescription['verb'] {
  return written !== undefined && query === undefined && verb === 'read' ? 'call' : verb;
}

/** The verb of rows: of the operation or the statement where the flow only calls, else that of the flow. */
function rowVerb({ verb, operation, query }: CallDescription): CallDescription['verb'] {
  if (query !== undefined) return verb === 'call' ? verbOfStatement(query) : verb;
  return verbOfWord(operation) ?? (verb === 'call' ? 'read' : verb);
}

/**
 * The request as the profile takes it; a copy, since another profile may be asked after it. A statement finds its
 * parameters wherever they are. Rows are found by `filters`, and made of `payload`.
 */
function requestOf(
  request: CallRequest,
  from: CallDescription,
  { verb, query }: CallDescription,
  params: readonly ParameterDeclaration[],
): CallRequest {
  const copy = copyOf(request);
  const { address, filters, payload } = request;
  const named = Array.isArray(request.params) ? undefined : (request.params as Fields | undefined);
  if (verb === 'call') return { ...copy, params: request.params ?? filters };
  if (query !== undefined) return { ...copy, filters: filters ?? address };
  if (from.verb === verb && from.query === undefined) return copy;
  const given = { ...filters, ...address, ...named };
  // A statement is offered everything that the message has.
  const found = from.query === undefined ? given : only(params, { ...given, ...payload });
  if (verb === 'create') return { ...copy, payload: payload ?? given };
  return { ...copy, filters: found };
}

function only(params: readonly ParameterDeclaration[], fields: Fields): Fields {
  const names = params.map(({ label }) => label).filter((name) => Object.hasOwn(fields, name));
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/** Its values; signal and trace context are read when they are needed. */
function copyOf(request: CallRequest): CallRequest {
  const { target, filters, payload, params, address, headers, words, within, passes } = request;
  return {
    target,
    filters,
    payload,
    params,
    address,
    headers,
    words,
    within,
    passes,
    input: request.input,
    contents: request.contents,
    signal: request.signal,
    cancelled: request.cancelled,
    traceparent: request.traceparent,
    tracestate: request.tracestate,
  };
}
