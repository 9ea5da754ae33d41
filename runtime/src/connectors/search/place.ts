import type { ConnectorValues, WrittenCall } from '@svc/protocol/schema';
import { type Action, actionOf } from './actions.ts';
import { bodyKeys, bodyPlace } from './grammar/grammar.ts';
import { query } from './grammar/place.ts';
import { checkTarget, isOneIndex } from './index-name.ts';
import { type Comparisons, comparisonsIn } from './reads/query.ts';
import { searchBodyProblem } from './reads/search-body.ts';
import { type Template, templateOf, templateOfConstants, templateProblem } from './reads/template.ts';

/** Actions on one document, which is in one index. */
const onDocuments: readonly Action[] = ['get', 'index', 'create', 'update', 'delete', 'bulk'];
/** Actions whose body is written in the query language; that of all others is the document. */
const asking: readonly Action[] = ['search', 'hits', 'count', 'aggregate', 'update_by_query', 'delete_by_query'];
/** Actions that are a search of the server. */
const searching: readonly Action[] = ['search', 'hits', 'aggregate'];
const takesScript: readonly Action[] = ['update', 'update_by_query'];

/** What one place of the configuration asks for, decided before any message. */
export interface Place {
  readonly action: Action;
  /** The body that the configuration writes; undefined when it writes none. */
  readonly body: Template | undefined;
  /** The body is that of the named operation; else the flow evaluates it. */
  readonly isNamed: boolean;
  readonly comparisons: Comparisons;
}

/** Decides it. A text says why it cannot be asked whatever the message. Pure: it runs while people type. */
export function placeOf(
  { verb, operation, target, named, written, words }: WrittenCall,
  defaultIndex: unknown,
): Place | string {
  const action = verb === 'call' ? undefined : actionOf(operation, verb);
  if (action === undefined) return operation === undefined ? 'it cannot be called' : `"${operation}" is unknown`;
  const isNamed = named?.['body'] !== undefined;
  if (isNamed && !asking.includes(action)) return `${action} takes a document, and no body of an operation`;
  const source = asking.includes(action) ? written['body'] : undefined;
  const body = isNamed ? templateOfConstants(named['body']) : source && templateOf(source);
  const problem =
    body && (bodyProblem(action, body) ?? (searching.includes(action) ? searchBodyProblem(body) : undefined));
  if (problem !== undefined) return problem;
  if (words['script'] !== undefined && !takesScript.includes(action)) return `${action} runs no script`;
  const comparisons = comparisonsIn(written['query_filter']);
  if (typeof comparisons === 'string') return comparisons;
  const name = target ?? (typeof defaultIndex === 'string' ? defaultIndex : undefined);
  if (name !== undefined && onDocuments.includes(action) && !isOneIndex(name))
    return `${action} needs one index, and "${name}" is not one`;
  const malformed = name === undefined ? undefined : checkTarget(name);
  return malformed ?? { action, body, isNamed, comparisons };
}

/** Why a body cannot be sent: that of a count may be the query itself. */
function bodyProblem(action: Action, body: Template): string | undefined {
  const names = body.kind === 'map' ? body.entries.map(([name]) => name) : [];
  if (action === 'count' && !names.includes('query')) return templateProblem(body, query);
  const taken = bodyKeys(action);
  const other = taken && names.find((name) => !taken.includes(name));
  if (other !== undefined) return `body.${other}: the body of ${action} has ${taken?.join(' and ')} alone`;
  return templateProblem(body, bodyPlace(action));
}

/** Why a call cannot be carried out whatever the message, or undefined. */
export function checkCall(call: WrittenCall, config: ConnectorValues): string | undefined {
  const place = placeOf(call, config['index']);
  return typeof place === 'string' ? place : undefined;
}
