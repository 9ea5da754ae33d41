import type { FlowModel } from '../../model.ts';
import type { Part } from '../../part.ts';

/** Completes and checks the parameters that a named operation declares, before anything else. */
export function params({ parameters }: FlowModel): Part[] {
  if (parameters === undefined) return [];
  return [
    {
      stage: undefined,
      name: '',
      title: 'params',
      step: ({ input }) => {
        parameters(input);
        return undefined;
      },
    },
  ];
}
