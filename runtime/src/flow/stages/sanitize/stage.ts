import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import { Sanitizer } from './sanitizer.ts';

/** Runs on every message of every flow and cannot be switched off. */
export function sanitize({ limits }: FlowModel): Part[] {
  const sanitizer = new Sanitizer(limits);
  return [
    {
      stage: 'sanitize',
      name: '',
      title: 'sanitize',
      step: ({ input }) => {
        sanitizer.sanitize(input);
        return undefined;
      },
    },
  ];
}
