import type { CelEngine } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import { loadFactory } from '../../connectors/registry.ts';
import type { Plan } from '../../foundation/contracts/plan.ts';
import { flowsOf } from '../flow/declarations.ts';
import { bindProject } from './bind.ts';
import { type LoadFactory, planConnectors } from './connectors.ts';
import { createExpressionEngine } from './engine.ts';

export interface PlanOptions {
  /** Compiles the expressions of this project and of no other. Default: one that reads the environment of the process. */
  readonly engine?: CelEngine | undefined;
  readonly load?: LoadFactory | undefined;
}

/** Makes a project ready that has no errors. Nothing is opened, and no connector's code is loaded yet. */
export function compilePlan(project: Project, { engine, load = loadFactory }: PlanOptions = {}): Plan {
  const shared = engine ?? createExpressionEngine();
  return {
    project,
    connectors: planConnectors(project, shared, load),
    flows: flowsOf(project).map(({ name }) => name),
    bind: (connectors, services, only) => bindProject(project, shared, connectors, services, only),
  };
}
