import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { isAnswered, type Values } from '@svc/protocol/schema';
import { type ResolvedOperation, resolveOperation } from '../../connectors/core/operations.ts';
import { compileParameters } from '../../connectors/core/parameters.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { KeptAnswers } from '../../foundation/contracts/kept-answers.ts';
import type { PlanServices, RunFlow } from '../../foundation/contracts/plan.ts';
import type { WatchedStage } from '../../foundation/contracts/probe.ts';
import type { Binding } from '../../foundation/contracts/source.ts';
import type { SentOperation } from '../../foundation/contracts/types.ts';
import { aspectsOf } from '../flow/aspects/selection.ts';
import type { CacheEvents } from '../flow/cache-events.ts';
import { askedNames, isPaged, readsSelection, selectsByMessage } from '../flow/compile/asked-names.ts';
import { type FlowDeclaration, sagaOf } from '../flow/declarations.ts';
import { verbOfFlow } from '../flow/flow-verb.ts';
import { checkHeld, mayLose } from '../flow/hold/held.ts';
import { binaryAnswerOf } from '../flow/message/binary-answer.ts';
import type { Part } from '../flow/message/part.ts';
import type { FlowModel } from '../flow/model.ts';
import { forwardedFields } from '../flow/pipeline/forwarded-files.ts';
import { compileFlow } from '../flow/program.ts';
import { parseReturns } from '../flow/returns.ts';
import type { flow as spec } from '../flow/spec.ts';
import { staleOn } from '../flow/stages/cache/stale.ts';
import { resolveDestinations } from '../flow/stages/destination/resolve.ts';
import { limitsOf } from '../flow/stages/sanitize/limits.ts';
import { security } from '../flow/stages/sanitize/spec.ts';
import type { Checker } from '../flow/stages/validate/checker.ts';
import { type FlowTools, storageOf } from '../flow/tools.ts';
import type { PluginHost } from '../plugins/plugin-host.ts';
import { compileSaga } from '../workflows/compile.ts';
import type { Workflows } from '../workflows/program.ts';
import { sagaParts } from '../workflows/stage.ts';
import { connectorUse } from './connector-use.ts';
import type { Expressions } from './expressions.ts';
import { matcherOf } from './types.ts';

/** What compiling the flows of one generation shares. */
export interface FlowCompilation {
  readonly project: Project;
  readonly expressions: Expressions;
  readonly types: ReadonlyMap<string, Checker>;
  readonly connectors: ReadonlyMap<string, Connector>;
  readonly services: PlanServices;
  readonly plugins: Pick<PluginHost, 'sanitizers'>;
  /** Reports what is written to the caches of all flows. */
  readonly events: CacheEvents;
  /** Every flow that is compiled so far; whole when the first message comes. */
  readonly flows: ReadonlyMap<string, RunFlow>;
  readonly workflows: Workflows;
  /** Called with every flow that another one may call. */
  readonly called: (flow: string) => void;
  /** Called with answers that a flow keeps. */
  readonly keepsAnswers: (answers: KeptAnswers) => void;
}

interface BoundFlow {
  readonly binding: Binding;
  readonly stages: readonly WatchedStage[];
  /** What its destinations send, with the connector of each. */
  readonly sends: readonly (SentOperation & { readonly connector: string })[];
}

/** One flow behind its trigger, and its stages as probes know them. */
export function bindFlow(declaration: FlowDeclaration, compilation: FlowCompilation): BoundFlow {
  const { project } = compilation;
  const { name: flow, values } = declaration;
  const tools = toolsOf(declaration, compilation);
  const source = sourceOf(values, project);
  const named = source && resolveOperation(source, values.from?.operation);
  const model = modelOf(declaration, named, compilation, tools);
  const { deliver, stages } = compileFlow(model, tools, project.constants);
  const words = values.from?.words.fixed ?? {};
  const returns = values.returns === undefined ? undefined : parseReturns(values.returns);
  const { operation } = model;
  const timeout = named?.timeout;
  const binary = binaryAnswerOf(model, tools);
  const { entity, validate: validates } = values;
  const forwarded = forwardedFields(model, tools, aspectsOf(flow, project) !== undefined);
  const { probe } = compilation.services;
  const forwards = forwarded.size === 0 ? undefined : (field: string) => !probe.attached && forwarded.has(field);
  const typed = source?.spec?.source?.typed === true;
  const types = typed
    ? { asked: askedNames(model), selects: selectsByMessage(model), readsSelection: readsSelection(model) }
    : {};
  const pages = source?.spec?.source?.routes === true ? isPaged(model) : undefined;
  const sends = model.destinations.map(({ use, operation, target }) => ({
    connector: use.name,
    flow,
    operation,
    target: typeof target === 'string' ? target : undefined,
    returns,
  }));
  return {
    binding: {
      flow,
      operation,
      words,
      timeout,
      returns,
      validates,
      entity,
      ...types,
      pages,
      binary,
      forwards,
      deliver,
    },
    stages,
    sends,
  };
}

/** Only the invalidation of a flow's cache when others write, whether the flow runs here or not. */
export function bindStale(declaration: FlowDeclaration, compilation: FlowCompilation): void {
  const { name, values } = declaration;
  if (!values.cache?.invalidate_on) return;
  const tools = toolsOf(declaration, compilation);
  const stale = staleOn(name, values.cache, storageOf(values.cache.storage, tools), tools);
  if (stale !== undefined) compilation.events.listen(stale);
}

function toolsOf(
  declaration: FlowDeclaration,
  { project, expressions, connectors, types, events, flows, called, keepsAnswers, services }: FlowCompilation,
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
    flow: (name) => {
      called(name);
      return (message) => {
        const run = flows.get(name);
        if (run === undefined) throw new Error(`there is no flow "${name}"`);
        return run(message);
      };
    },
    keepsAnswers,
    checkHeld: mayLose(declaration) ? checkHeld : undefined,
    type: (name) => (name === undefined ? undefined : checkersOf([name], types)[0]),
  };
}

function modelOf(
  declaration: FlowDeclaration,
  named: ResolvedOperation | undefined,
  compilation: FlowCompilation,
  tools: FlowTools,
): FlowModel {
  const { project, types } = compilation;
  const { name, values } = declaration;
  const source = sourceOf(values, project);
  const operation = named?.operation ?? values.from?.operation;
  const verb = verbOfFlow(values, project.connectors);
  const sourceSpec = source?.spec?.source;
  const answers = sourceSpec === undefined || isAnswered(sourceSpec, operation);
  return {
    name,
    values,
    verb,
    source: sourceSpec,
    answers,
    operation,
    parameters: named && named.params.length > 0 ? compileParameters(named.params, matcherOf) : undefined,
    inputTypes: checkersOf([named?.input, values.validate?.input], types),
    outputTypes: checkersOf([values.validate?.output, named?.output], types),
    limits: limitsOf(project.one('security', security), name),
    sanitizers: compilation.plugins.sanitizers(
      name,
      project.one('security', security)?.flow.find(({ label }) => label === name)?.sanitizers,
    ),
    destinations: resolveDestinations(values, verb, tools),
    work: workOf(declaration, answers, compilation),
  };
}

/** The steps of a saga in place of a flow's own work; undefined for flows. */
function workOf(
  declaration: FlowDeclaration,
  answers: boolean,
  { workflows }: FlowCompilation,
): ((tools: FlowTools) => readonly Part[]) | undefined {
  const saga = sagaOf(declaration);
  if (saga === undefined) return undefined;
  return (tools) => {
    const compiled = compileSaga(saga, tools);
    workflows.programs.set(saga.name, compiled.kept);
    return sagaParts({ name: saga.name, answers }, compiled, workflows, tools);
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
