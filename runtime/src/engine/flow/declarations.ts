import type { Declaration, Project } from '@svc/protocol/model';
import { origin, type Values } from '@svc/protocol/schema';
import type { SagaDeclaration } from './sagas/saga.ts';
import { saga } from './sagas/spec.ts';
import { flow } from './spec.ts';

export type FlowDeclaration = Declaration<Values<typeof flow>>;

/** The sagas of a project, in written order. */
export function sagasOf(project: Project): readonly SagaDeclaration[] {
  return project.all('saga', saga);
}

/** Every flow and every saga as the flow of its name, in the order of files and places. */
export function flowsOf(project: Project): readonly FlowDeclaration[] {
  const flows = project.all('flow', flow);
  const sagas = sagasOf(project);
  if (sagas.length === 0) return flows;
  return [...flows, ...sagas.map(asFlow)].sort(
    ({ origin: a }, { origin: b }) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.range.start - b.range.start,
  );
}

/** The same flow object for the same saga, so that cached results of one apply to the other. */
const flows = new WeakMap<SagaDeclaration, FlowDeclaration>();
const sagas = new WeakMap<FlowDeclaration, SagaDeclaration>();

/** The trigger of a saga, as a flow that has nothing else. */
function asFlow(declaration: SagaDeclaration): FlowDeclaration {
  const known = flows.get(declaration);
  if (known !== undefined) return known;
  const { values } = declaration;
  const from = values.from && { ...values.from, on_reject: undefined };
  const empty: Record<PropertyKey, unknown> = { label: declaration.name, [origin]: values[origin] };
  for (const name in flow.attributes) empty[name] = undefined;
  for (const [name, block] of Object.entries(flow.blocks)) empty[name] = block.repeated ? [] : undefined;
  const made: FlowDeclaration = { ...declaration, values: { ...empty, from } as FlowDeclaration['values'] };
  flows.set(declaration, made);
  sagas.set(made, declaration);
  return made;
}

/** The saga behind a flow; undefined when the flow is an ordinary one. */
export function sagaOf(declaration: FlowDeclaration): SagaDeclaration | undefined {
  return sagas.get(declaration);
}
