import type { ConnectorDeclaration, Declaration, Project } from '@svc/protocol/model';
import type { Values } from '@svc/protocol/schema';
import type { Binding, Connector } from '../connectors/contract.ts';
import { type ResolvedOperation, resolveOperation } from '../connectors/operations.ts';
import { compileParameters } from '../connectors/parameters.ts';
import type { CacheEvents } from '../flow/cache-events.ts';
import type { FlowModel } from '../flow/model.ts';
import { compileFlow } from '../flow/program.ts';
import { flow as spec } from '../flow/spec.ts';
import { resolveDestinations } from '../flow/stages/destination/resolve.ts';
import { limitsOf } from '../flow/stages/sanitize/limits.ts';
import { security } from '../flow/stages/sanitize/spec.ts';
import type { Checker } from '../flow/stages/validate/checker.ts';
import type { FlowTools } from '../flow/tools.ts';
import { verbOfSource } from '../flow/verb.ts';
import { connectorUse } from './connector-use.ts';
import type { Expressions } from './expressions.ts';
import type { PlanServices, RunFlow, WatchedStage } from './plan.ts';
import { matcherOf } from './types.ts';

export type FlowDeclaration = Declaration<Values<typeof spec>>;

/** What compiling the flows of one generation shares. */
export interface FlowCompilation {
  readonly project: Project;
  readonly expressions: Expressions;
  readonly types: ReadonlyMap<string, Checker>;
  readonly connectors: ReadonlyMap<string, Connector>;
  readonly services: PlanServices;
  /** What is written, told to the caches of all flows. */
  readonly events: CacheEvents;
  /** Every flow that is compiled so far; whole when the first message comes. */
  readonly flows: ReadonlyMap<string, RunFlow>;
}

/** One flow behind its trigger, and what a probe is told about it. */
export function bindFlow(
  declaration: FlowDeclaration,
  compilation: FlowCompilation,
): { readonly binding: Binding; readonly stages: readonly WatchedStage[] } {
  const { project, services } = compilation;
  const { name: flow, values } = declaration;
  const tools = toolsOf(compilation, services);
  const source = sourceOf(values, project);
  const named = source && resolveOperation(source, values.from?.operation);
  const model = modelOf(declaration, named, compilation, tools);
  const { deliver, stages } = compileFlow(model, tools, project.constants);
  const format = values.from?.format;
  return { binding: { flow, operation: model.operation, format, timeout: named?.timeout, deliver }, stages };
}

function toolsOf(
  { project, expressions, connectors, types, events, flows }: FlowCompilation,
  services: PlanServices,
): FlowTools {
  return {
    services,
    project,
    events,
    expression: (source, title, extra) => expressions.expression(source, title, extra),
    connector: (name) => {
      const declaration = project.connectors.get(name);
      if (declaration === undefined) throw new Error(`there is no connector "${name}"`);
      return connectorUse(declaration, connectors.get(name));
    },
    flow: (name) => (message) => {
      const run = flows.get(name);
      if (run === undefined) throw new Error(`there is no flow "${name}"`);
      return run(message);
    },
    type: (name) => (name === undefined ? undefined : checkersOf([name], types)[0]),
  };
}

function modelOf(
  { name, values }: FlowDeclaration,
  named: ResolvedOperation | undefined,
  { project, types }: FlowCompilation,
  tools: FlowTools,
): FlowModel {
  const source = sourceOf(values, project);
  const operation = named?.operation ?? values.from?.operation;
  const verb = verbOfSource(source?.spec?.source, operation);
  return {
    name,
    values,
    verb,
    answers: source?.spec?.source?.style !== 'stream',
    operation,
    parameters: named && named.params.length > 0 ? compileParameters(named.params, matcherOf) : undefined,
    inputTypes: checkersOf([named?.input, values.validate?.input], types),
    outputTypes: checkersOf([values.validate?.output, named?.output], types),
    limits: limitsOf(project.one('security', security), name),
    destinations: resolveDestinations(values, verb, tools),
  };
}

function sourceOf({ from }: Values<typeof spec>, { connectors }: Project): ConnectorDeclaration | undefined {
  return from && connectors.get(from.connector);
}

/** Each type once. Names that no type has were refused when the project was checked. */
function checkersOf(names: readonly (string | undefined)[], types: ReadonlyMap<string, Checker>): readonly Checker[] {
  return [...new Set(names)].flatMap((name) => {
    if (name === undefined) return [];
    const checker = types.get(name);
    if (checker === undefined) throw new Error(`there is no type "${name}"`);
    return [checker];
  });
}

/** The flows of a project, in written order. */
export function flowsOf(project: Project): readonly FlowDeclaration[] {
  return project.all('flow', spec);
}
