import type { ActionValues } from './action/place.ts';
import { type FlowDeclaration, sagaOf } from './declarations.ts';
import type { AskingPlace } from './pipeline/descriptor.ts';
import { askingPlaces } from './pipeline/stages.ts';
import { sagaPlaces } from './sagas/places.ts';

/** One block of a flow or a saga that uses a connector as a target. */
export type TargetPlace =
  | AskingPlace
  | { readonly kind: 'action'; readonly title: string; readonly values: AskingValues };

/** A block of a saga that names a connector. */
export type AskingValues = ActionValues & { readonly connector: string };

/**
 * Every place of a flow that asks a connector, those inside its transform included, and of a saga: in the order in which
 * they run.
 */
export function targetPlaces(flow: FlowDeclaration): readonly TargetPlace[] {
  const saga = sagaOf(flow);
  if (saga)
    return sagaPlaces(saga).flatMap(({ title, values }) => (asks(values) ? { kind: 'action', title, values } : []));
  return askingPlaces(flow.values);
}

function asks(values: ActionValues): values is AskingValues {
  return values.connector !== undefined;
}
