import type { Project, Report } from '@svc/protocol/model';
import { closest } from '@svc/protocol/text';
import { type } from '../../../flow/stages/validate/spec.ts';
import { rootTypes } from '../operation.ts';
import { type FieldFlow, fieldOf, type Served } from './served-rules.ts';

/** Flows name types that there are, and say of batches what can be done. */
export function checkFieldFlows({ flows, path }: Served, project: Project, report: Report): void {
  const types = project.all('type', type).map(({ name }) => name);
  for (const flow of flows) {
    checkBatch(flow, report);
    const field = fieldOf(flow);
    // A file says itself which types there are.
    if (field === undefined || path !== undefined || (rootTypes as readonly string[]).includes(field.type)) continue;
    if (types.includes(field.type)) continue;
    const near = closest(field.type, [...rootTypes, ...types]);
    report('unknown-type', `there is no type "${field.type}"`, flow.at, {
      help:
        near === undefined
          ? `Write "Query.${field.field}", or type "${field.type}" { … }.`
          : `Did you mean "${near}.${field.field}"?`,
    });
  }
}

function checkBatch(flow: FieldFlow, report: Report): void {
  const { from, entity } = flow.flow.values;
  const field = fieldOf(flow);
  const words: object = from?.words ?? {};
  if (!('batch' in words) || words.batch === undefined || field === undefined) return;
  if (!(rootTypes as readonly string[]).includes(field.type)) return;
  report('inert-attribute', `${flow.operation} is at no object, so that there are no keys to take at once`, flow.at, {
    help:
      entity === undefined
        ? 'Name a field of another type, such as "customer.orders", or remove batch.'
        : 'Remove operation: a flow that takes many references at once resolves these alone.',
  });
}
