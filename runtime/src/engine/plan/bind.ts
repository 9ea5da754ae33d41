import type { CelEngine } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { KeptAnswers } from '../../foundation/contracts/kept-answers.ts';
import type { BoundPlan, PlanServices, RunFlow, Runner } from '../../foundation/contracts/plan.ts';
import type { WatchedStage } from '../../foundation/contracts/probe.ts';
import type { Binding } from '../../foundation/contracts/source.ts';
import type { SentOperation } from '../../foundation/contracts/types.ts';
import { keepSecret } from '../../foundation/observe/secret-fields.ts';
import { CacheEvents } from '../flow/cache-events.ts';
import { flowsOf } from '../flow/declarations.ts';
import { PluginHost } from '../plugins/plugin-host.ts';
import { type ScheduledFlow, ScheduleRunner } from '../schedule/runner.ts';
import { type HiddenValues, hiddenValuesIn } from '../workflows/hidden-values.ts';
import type { SagaProgram } from '../workflows/program.ts';
import { bindAuth } from './auth.ts';
import { Expressions } from './expressions.ts';
import { bindFlow, bindStale } from './flows.ts';
import { jobsBinding } from './jobs-binding.ts';
import { AnswersOfFlows } from './kept-answers.ts';
import { ClaimStores, scheduledFlow } from './schedules.ts';
import { secretFields } from './secret-fields.ts';
import { compileProjectTypes, typeModels } from './types.ts';
import { bindWorkflows } from './workflows.ts';

/** Compiles every flow against the connectors made for it and says what each source triggers. */
export function bindProject(
  project: Project,
  engine: CelEngine,
  connectors: ReadonlyMap<string, Connector>,
  services: PlanServices,
  only?: readonly string[],
): BoundPlan {
  const plugins = new PluginHost(project, services);
  const expressions = new Expressions(engine, plugins.functions);
  const types = compileProjectTypes(project, expressions, plugins);
  const events = new CacheEvents();
  const bindings = new Map<string, Binding[]>();
  const sent = new Map<string, SentOperation[]>();
  const stages = new Map<string, readonly WatchedStage[]>();
  const flows = new Map<string, RunFlow>();
  const programs = new Map<string, SagaProgram>();
  const answers = new AnswersOfFlows(stages);
  // Single flows and tests do not take part in what other processes keep: of a saga only its begin is recorded.
  const isAlone = only !== undefined || services.isolated === true;
  const durable = isAlone
    ? undefined
    : bindWorkflows(project, { programs, hidden: hiddenIn(stages) }, connectors, services);
  const signIn = isAlone ? undefined : bindAuth(project, { expressions, flows }, connectors, services);
  const runners: Runner[] = [...(signIn?.runners ?? []), ...(durable?.runners ?? [])];
  const workflows = { programs, start: isAlone ? async () => undefined : durable?.start };
  const scheduled: ScheduledFlow[] = [];
  const stores = new ClaimStores({ project, connectors, services });
  const declarations = new Map(flowsOf(project).map((declaration) => [declaration.name, declaration]));
  // It grows while flows are compiled that call others.
  const wanted = new Set(only ?? declarations.keys());
  const keepsAnswers = (kept: KeptAnswers) => void answers.kept.push(kept);
  const shared = { project, plugins, expressions, types, connectors, services, events, flows, workflows, keepsAnswers };
  for (const name of wanted) {
    const declaration = declarations.get(name);
    if (declaration === undefined) continue;
    const called = (other: string) => {
      wanted.add(other);
      answers.calls(name, other);
    };
    const { binding: written, stages: watched, sends } = bindFlow(declaration, { ...shared, called });
    for (const { connector, ...operation } of sends) {
      const known = sent.get(connector);
      if (known) known.push(operation);
      else sent.set(connector, [operation]);
    }
    const instead = services.standIn?.(written.flow);
    const secrets = secretFields(declaration, project, engine);
    const binding = keepingSecrets(instead === undefined ? written : { ...written, deliver: instead }, secrets);
    answers.hides(name, secrets);
    stages.set(binding.flow, watched);
    flows.set(binding.flow, binding.deliver);
    const schedule = scheduledFlow(binding.flow, declaration.values, stores, binding.deliver);
    if (schedule !== undefined) scheduled.push(schedule);
    const connector = declaration.values.from?.connector;
    if (connector === undefined) continue;
    const bound = bindings.get(connector);
    if (bound) bound.push(binding);
    else bindings.set(connector, [binding]);
  }
  for (const [name, declaration] of declarations)
    if (!wanted.has(name)) bindStale(declaration, { ...shared, called: () => undefined });
  for (const [connector, bound] of bindings) {
    const jobs = jobsBinding(connector, bound, project, connectors);
    if (jobs !== undefined) bound.push(jobs);
  }
  const timer = scheduled.length > 0 ? new ScheduleRunner(scheduled, services) : undefined;
  if (timer !== undefined) runners.push(timer);
  const schedules = new Map(scheduled.map(({ flow, schedule }) => [flow, schedule]));
  const mounts = [...(signIn?.mounts ?? []), ...(durable?.mounts ?? [])];
  return {
    bindings,
    types: typeModels(project),
    sent,
    stages,
    flows,
    schedules,
    runners,
    mounts,
    modules: plugins,
    workflows: durable?.inspection,
    timer,
    answers,
    recognise: signIn?.recognise,
  };
}

/** What a flow is given for a connector that takes credentials is not shown. */
function keepingSecrets(binding: Binding, fields: readonly string[]): Binding {
  if (fields.length === 0) return binding;
  const { deliver } = binding;
  return {
    ...binding,
    deliver: (message) => {
      keepSecret(message, fields);
      return deliver(message);
    },
  };
}

/** What the rules of all flows read of what is hidden: looked for once, when all of them are compiled. */
function hiddenIn(stages: ReadonlyMap<string, readonly WatchedStage[]>): () => HiddenValues | undefined {
  let known: { readonly hidden: HiddenValues | undefined } | undefined;
  return () => {
    known ??= { hidden: hiddenValuesIn([...stages.values()].flat()) };
    return known.hidden;
  };
}
