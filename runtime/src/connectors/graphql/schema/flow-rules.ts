import { closest } from '@svc/protocol/text';
import type { Published, PublishedFlow } from '../../../foundation/contracts/published.ts';
import { rootTypes } from '../operation.ts';
import { fieldOf, pathOf, settingsOf, type Tell } from './published.ts';

/** Flows name types that there are, and say of batches what can be done. */
export function checkFieldFlows(published: Published, tell: Tell): void {
  const types = published.types.map(({ name }) => name);
  for (const flow of published.flows) {
    checkBatch(flow, tell);
    const field = fieldOf(flow);
    // A file says itself which types there are.
    if (field === undefined || pathOf(published) !== undefined || isRoot(field.type)) continue;
    if (types.includes(field.type)) continue;
    const near = closest(field.type, [...rootTypes, ...types]);
    tell({
      code: 'unknown-type',
      message: `there is no type "${field.type}"`,
      at: { of: 'flow', name: flow.name, word: 'operation' },
      help:
        near === undefined
          ? `Write "Query.${field.field}", or type "${field.type}" { … }.`
          : `Did you mean "${near}.${field.field}"?`,
    });
  }
}

/** Events have subscribers: without them, flows would begin for no one, and publish to no one. */
export function checkSubscribed(published: Published, tell: Tell): void {
  if (settingsOf(published).subscriptions?.enabled !== false) return;
  const { connector, flows, sent } = published;
  const unheard = (name: string, word: 'operation' | 'to') =>
    tell({
      code: 'inert-attribute',
      message: `connector "${connector}" takes no subscribers, so that flow "${name}" has no effect for any`,
      at: { of: 'flow', name, word },
      help: 'Remove enabled = false from its subscriptions, or the flow.',
    });
  for (const flow of flows) if (fieldOf(flow)?.type === 'Subscription') unheard(flow.name, 'operation');
  for (const { flow } of sent) unheard(flow, 'to');
}

function checkBatch(flow: PublishedFlow, tell: Tell): void {
  const field = fieldOf(flow);
  if (flow.words['batch'] === undefined || field === undefined || !isRoot(field.type)) return;
  tell({
    code: 'inert-attribute',
    message: `${flow.operation} is a field of no object, so that there are no keys to take at once`,
    at: { of: 'flow', name: flow.name, word: 'operation' },
    help:
      flow.entity === undefined
        ? 'Name a field of another type, such as "customer.orders", or remove batch.'
        : 'Remove operation: a flow that takes many references at once resolves these alone.',
  });
}

function isRoot(type: string): boolean {
  return (rootTypes as readonly string[]).includes(type);
}
