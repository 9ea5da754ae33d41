import type { ActionPlace, ActionValues } from '../action/place.ts';
import type { SagaDeclaration } from './saga.ts';

/** One block of a saga that asks a connector. */
export interface SagaPlace extends ActionPlace {
  /**
   * Its name in debuggers: `hold.action`, `hold.compensate`, `on_complete`, `on_failure`
   * (docs/specification/debugging.md#stops).
   */
  readonly name: string;
}

/**
 * Every block of a saga that asks a connector, in the order in which they can run: the actions, what follows success,
 * what undoes the steps (the last one first), what follows failure.
 */
export function sagaPlaces({ values }: Pick<SagaDeclaration, 'values'>): readonly SagaPlace[] {
  const { step = [], on_complete, on_failure } = values as Partial<SagaDeclaration['values']>;
  const places: SagaPlace[] = [];
  const add = (name: string, title: string, block: ActionValues | undefined) => {
    if (block !== undefined) places.push({ name, title, values: block });
  };
  for (const { label, action } of step) add(`${label}.action`, `action of step "${label}"`, action);
  add('on_complete', 'on_complete', on_complete);
  for (const { label, compensate } of step.toReversed())
    add(`${label}.compensate`, `compensate of step "${label}"`, compensate);
  add('on_failure', 'on_failure', on_failure);
  return places;
}
