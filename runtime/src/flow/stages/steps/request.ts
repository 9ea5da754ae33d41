import type { CelSource, Values } from '@svc/protocol/schema';
import type { CallRequest, Execute, Verb } from '../../../connectors/contract.ts';
import { type Argument, compileArgument, evaluator } from '../../argument.ts';
import { FlowRequest, prepareCall } from '../../call.ts';
import type { Frame } from '../../frame.ts';
import { compileHeaders } from '../../headers.ts';
import type { ConnectorUse, FlowTools } from '../../tools.ts';
import { verbOfStatement, verbOfWord } from '../../verb.ts';
import type { step } from './spec.ts';

type StepValues = Values<typeof step>;
type Fields = Readonly<Record<string, unknown>>;

interface StepCall {
  readonly execute: Execute;
  readonly request: (frame: Frame) => CallRequest;
}

/** What a step asks of its connector (supplement-connectors 3.8), decided at start. */
export function stepRequest(flow: string, values: StepValues, tools: FlowTools, exact: boolean): StepCall {
  const title = `step "${values.label}"`;
  const use = tools.connector(values.connector);
  const compile = (name: 'target' | 'params' | 'body'): Argument | undefined => {
    const source = values[name];
    const expression = (cel: CelSource, at: string) => tools.expression(cel, at);
    return source && compileArgument(source, expression, `${title}: ${name}`);
  };
  const target = compile('target');
  const writtenTarget = target && 'constant' in target ? String(target.constant) : undefined;
  const named = use.operation(values.operation) ?? use.operation(writtenTarget);
  const operation = named ? named.operation : values.operation;
  const query = values.query ?? named?.query ?? statementIn(operation, use);
  const verb = verbOf(use, operation, query);

  const execute = prepareCall(
    use,
    {
      verb,
      operation: query === undefined ? operation : undefined,
      target: named ? (named.target ?? undefined) : writtenTarget,
      query,
      format: values.format,
      envelope: values.envelope,
      timeout: values.timeout ?? named?.timeout,
      exact,
      flow,
      label: title,
    },
    tools,
    named,
  );

  const dynamicTarget = target && 'evaluate' in target ? target.evaluate : undefined;
  const params = evaluator(compile('params'));
  const body = evaluator(compile('body'));
  const headers = compileHeaders(values.headers, title, tools);
  return {
    execute,
    request: (frame) => {
      const request = new FlowRequest(frame);
      const given = params?.(frame) as Fields | readonly unknown[] | undefined;
      const content = body?.(frame) as Fields | undefined;
      if (dynamicTarget !== undefined) request.target = String(dynamicTarget(frame));
      if (headers !== undefined) request.headers = headers(frame);
      if (query !== undefined || verb === 'call') {
        request.params = given;
        request.payload = content;
      } else if (verb === 'read') request.filters = given as Fields | undefined;
      else if (verb === 'create') request.payload = content ?? (given as Fields | undefined);
      else {
        request.filters = given as Fields | undefined;
        request.payload = content;
      }
      return request;
    },
  };
}

/** `operation = "SELECT …"` on something that cannot be called is a query. */
function statementIn(operation: string | undefined, { abilities }: ConnectorUse): string | undefined {
  return operation !== undefined && !abilities.has('call') && /^\s*\w+\s+\S/.test(operation) ? operation : undefined;
}

function verbOf(use: ConnectorUse, operation: string | undefined, query: string | undefined): Verb {
  if (query !== undefined) return verbOfStatement(query);
  if (operation !== undefined && use.abilities.has('call')) return 'call';
  return verbOfWord(operation) ?? 'read';
}
