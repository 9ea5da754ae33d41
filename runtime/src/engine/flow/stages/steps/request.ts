import type { ArgumentSource, Values } from '@svc/protocol/schema';
import type { CallRequest, Execute, Verb } from '../../../../foundation/contracts/target.ts';
import { FlowRequest, prepareCall } from '../../calls/call.ts';
import { resolveAsked } from '../../compile/asked.ts';
import { type Draft, RequestRules } from '../../compile/request-rules.ts';
import { namesIn, writtenWords } from '../../compile/written.ts';
import { namesBytes } from '../../message/binary-answer.ts';
import type { Frame } from '../../message/frame.ts';
import type { ConnectorUse, FlowTools, NamedOperation } from '../../tools.ts';
import { isAsking, verbOfStatement, verbOfWord } from '../../verb.ts';
import type { step } from './spec.ts';

type StepValues = Values<typeof step>;
type Fields = Readonly<Record<string, unknown>>;

/** How the result of a step is used. */
export interface StepReading {
  /** Expressions read it, so that its integers must be exact. */
  readonly exact: boolean;
  /** See `CallDescription.once`. */
  readonly once: boolean;
}

interface StepCall {
  readonly execute: Execute;
  /** The values that each message gives the request. */
  readonly rules: RequestRules;
  readonly request: (frame: Frame, draft: Draft) => CallRequest;
}

/** What a step asks of its connector (docs/specification/flow.md#steps), decided at start. */
export function stepRequest(flow: string, values: StepValues, tools: FlowTools, read: StepReading): StepCall {
  const title = `step "${values.label}"`;
  const { use, named, target, place } = resolveAsked(values, title, tools);
  const { operation, query, verb } = asked(values, use, named);

  const execute = prepareCall(
    use,
    {
      verb,
      operation: query === undefined ? operation : undefined,
      target: place,
      query,
      words: values.words.fixed,
      fields: [...(namesIn(values.params) ?? []), ...(namesIn(values.body) ?? [])],
      written: writtenWords(values.words, { body: values.body, params: values.params }),
      headers: values.headers?.fields.map(({ name }) => name),
      timeout: values.timeout ?? named?.timeout,
      ...read,
      binary: [values.body, values.params].some((source) => source?.kind === 'map' && namesBytes(namesOf(source))),
      flow,
      label: title,
    },
    tools,
    named,
  );

  const rules = new RequestRules(title, tools)
    .argument('params', values.params)
    .argument('body', values.body)
    .headers(values.headers)
    .words(values.words);
  const request = (frame: Frame, { params, body, headers, words }: Draft): CallRequest => {
    const made = new FlowRequest(frame);
    const fields = params as Fields | undefined;
    const content = body as Fields | undefined;
    if (typeof target === 'function') made.aim(target);
    made.headers = headers;
    made.words = words;
    if (query !== undefined || verb === 'call' || use.takesMessages) {
      made.params = params;
      made.payload = content;
    } else if (verb === 'read') {
      made.filters = fields;
      made.payload = content;
    } else if (verb === 'create') made.payload = content ?? fields;
    else {
      made.filters = fields;
      made.payload = content;
    }
    return made;
  };
  return { execute, rules, request };
}

function namesOf({ entries }: Extract<ArgumentSource, { readonly kind: 'map' }>) {
  return entries.map(([name]) => ({ name }));
}

/** The request of a step, from its own attributes or those of the named operation that it refers to. */
function asked(values: StepValues, use: ConnectorUse, named: NamedOperation | undefined) {
  const operation = named ? named.operation : values.operation;
  const query = values.query ?? named?.query ?? statementIn(operation, use);
  return { operation, query, verb: verbOf(use, operation, query, values.target) };
}

/** Whether a step certainly only reads: it reads rows, or calls with a method that only reads. */
export function stepOnlyReads(values: StepValues, tools: Pick<FlowTools, 'connector'>): boolean {
  const use = tools.connector(values.connector);
  const target = values.target?.kind === 'constant' ? values.target.value : undefined;
  const named = use.operation(values.operation) ?? (typeof target === 'string' ? use.operation(target) : undefined);
  const { operation, verb } = asked(values, use, named);
  if (use.runs) return false;
  return verb === 'read' || (verb === 'call' && (use.effect(operation) === 'reads' || isAsking(operation)));
}

/** `operation = "SELECT …"` on something that has rows and cannot be called is a query. */
function statementIn(operation: string | undefined, use: ConnectorUse): string | undefined {
  const hasStatements = !use.abilities.has('call') && !use.takesMessages;
  return operation !== undefined && hasStatements && /^\s*\w+\s+\S/.test(operation) ? operation : undefined;
}

function verbOf(
  use: ConnectorUse,
  operation: string | undefined,
  query: string | undefined,
  target: ArgumentSource | undefined,
): Verb {
  if (query !== undefined) return verbOfStatement(query);
  if (use.runs || (operation !== undefined && use.abilities.has('call'))) return 'call';
  // The target may have what is asked.
  if (target?.kind === 'constant' && use.effect(String(target.value)) === 'writes') return 'create';
  return verbOfWord(operation) ?? (use.takesMessages ? 'create' : 'read');
}
