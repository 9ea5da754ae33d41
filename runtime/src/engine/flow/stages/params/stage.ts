import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';

/**
 * Completes and checks the parameters that a named operation declares, before anything else. Numbers that operations of
 * the destinations declare are normalized, so that locks and caches use the value that is looked up.
 */
export function params({ parameters, destinations }: FlowModel): Part[] {
  const spellings = destinations.flatMap(({ named }) => named?.parameters?.spell ?? []);
  if (parameters === undefined && spellings.length === 0) return [];
  return [
    {
      stage: undefined,
      name: '',
      title: 'params',
      step: ({ input }) => {
        parameters?.(input);
        for (const spell of spellings) spell(input);
        return undefined;
      },
    },
  ];
}
