import type { CelEngine } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { Binding, Connector } from '../connectors/contract.ts';
import { CacheEvents } from '../flow/cache-events.ts';
import { type FlowDeclaration, flowsOf } from '../flow/declarations.ts';
import type { SagaProgram, Workflows } from '../workflows/program.ts';
import { Expressions } from './expressions.ts';
import { bindFlow, type FlowCompilation } from './flows.ts';
import type { BoundPlan, PlanServices, RunFlow, Runner, WatchedStage } from './plan.ts';
import { compileProjectTypes } from './types.ts';

/** Compiles every flow against the connectors made for it and says what each source triggers. */
export function bindProject(
  project: Project,
  engine: CelEngine,
  connectors: ReadonlyMap<string, Connector>,
  services: PlanServices,
): BoundPlan {
  const bindings = new Map<string, Binding[]>();
  const stages = new Map<string, readonly WatchedStage[]>();
  const flows = new Map<string, RunFlow>();
  const runners: Runner[] = [];
  const compilation = compilationOf(project, engine, connectors, services, flows);
  for (const declaration of flowsOf(project)) {
    const { binding: written, stages: watched } = bindFlow(declaration, compilation);
    const instead = services.standIn?.(written.flow);
    const binding = instead === undefined ? written : { ...written, deliver: instead };
    stages.set(binding.flow, watched);
    flows.set(binding.flow, binding.deliver);
    const connector = declaration.values.from?.connector;
    if (connector === undefined) continue;
    const bound = bindings.get(connector);
    if (bound) bound.push(binding);
    else bindings.set(connector, [binding]);
  }
  return { bindings, stages, flows, runners };
}

/** The flows of a project, each compiled when it is first asked for: running one costs one. */
export function bindOnDemand(
  project: Project,
  engine: CelEngine,
  connectors: ReadonlyMap<string, Connector>,
  services: PlanServices,
): (flow: string) => RunFlow | undefined {
  const flows = new FlowsOnDemand(
    flowsOf(project),
    (declaration) => bindFlow(declaration, compilation).binding.deliver,
  );
  const compilation = compilationOf(project, engine, connectors, services, flows);
  return (flow) => flows.get(flow);
}

class FlowsOnDemand extends Map<string, RunFlow> {
  readonly #declarations: ReadonlyMap<string, FlowDeclaration>;
  readonly #compile: (declaration: FlowDeclaration) => RunFlow;

  constructor(declarations: readonly FlowDeclaration[], compile: (declaration: FlowDeclaration) => RunFlow) {
    super();
    this.#declarations = new Map(declarations.map((each) => [each.name, each]));
    this.#compile = compile;
  }

  override get(name: string): RunFlow | undefined {
    const known = super.get(name);
    const declaration = this.#declarations.get(name);
    if (known !== undefined || declaration === undefined) return known;
    const run = this.#compile(declaration);
    this.set(name, run);
    return run;
  }
}

function compilationOf(
  project: Project,
  engine: CelEngine,
  connectors: ReadonlyMap<string, Connector>,
  services: PlanServices,
  flows: ReadonlyMap<string, RunFlow>,
): FlowCompilation {
  const expressions = new Expressions(engine);
  const types = compileProjectTypes(project, expressions);
  const workflows: Workflows = { programs: new Map<string, SagaProgram>(), start: undefined };
  return { project, expressions, types, connectors, services, events: new CacheEvents(), flows, workflows };
}
