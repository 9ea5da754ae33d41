import type { Project } from '@svc/protocol/model';
import { dialectOf } from '../../connectors/database/engines.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { BoundPlan, PlanServices, Runner } from '../../foundation/contracts/plan.ts';
import { service } from '../settings/spec.ts';
import { WorkflowControl } from '../workflows/api/control.ts';
import { WorkflowInspection } from '../workflows/api/inspection.ts';
import { type EngineOptions, WorkflowEngine } from '../workflows/engine/engine.ts';
import type { SagaProgram, StartWorkflow } from '../workflows/program.ts';
import { RelationalStore } from '../workflows/store/relational-store.ts';

/** Stores and runs the sagas that pause. */
interface BoundWorkflows {
  readonly start: StartWorkflow;
  readonly runners: readonly Runner[];
  readonly mounts: BoundPlan['mounts'];
  readonly inspection: WorkflowInspection;
}

/** The name of the workflow API among connectors, none of which can have it. */
const apiName = 'workflow.api';
/** The part of the time for stopping that steps under way have; the rest is for saving. */
const workPart = 0.9;

/** The engine of `service.workflow`; undefined when the block is not written. `programs` is filled later, and `hidden` called later. */
export function bindWorkflows(
  project: Project,
  {
    programs,
    hidden,
  }: { readonly programs: ReadonlyMap<string, SagaProgram>; readonly hidden: EngineOptions['hidden'] },
  connectors: ReadonlyMap<string, Connector>,
  services: PlanServices,
): BoundWorkflows | undefined {
  const settings = project.one('service', service)?.workflow;
  if (settings === undefined) return undefined;
  const { storage, table, auto_create: create, lease, api } = settings;
  const dialect = dialectOf(project.connectors.get(storage)?.spec)?.runtimeTables;
  const connector = connectors.get(storage);
  if (dialect === undefined || connector === undefined) throw new Error(`"${storage}" cannot keep workflows`);
  const store = new RelationalStore({ connector, dialect, table, create });
  const { clock, families, connectorServices } = services;
  const engine = new WorkflowEngine({
    store,
    programs,
    constants: project.constants,
    hidden,
    clock,
    log: services.log,
    families,
    lease,
    stopTime: services.stopTime * workPart,
  });
  const control = new WorkflowControl({ store, sagas: programs, clock, changed: engine.wake });
  const inspection = new WorkflowInspection({ storage, store, programs, control });
  const bound = { start: engine.begin, runners: [engine], inspection };
  if (api === undefined || connectorServices === undefined) return { ...bound, mounts: [] };
  const mount = async () => {
    const { workflowMount } = await import('../workflows/api/api.ts');
    return [await workflowMount(apiName, api, control, connectorServices(apiName))];
  };
  return { ...bound, mounts: [mount] };
}
