import type { SagaProgram, SagaState } from '../program.ts';

/**
 * Finds the step by its name, since the saga may have other steps than when the instance was saved. False when it is
 * gone, so that the step to continue with is not known.
 */
export function align(state: SagaState, stepName: string | undefined, { steps }: SagaProgram): boolean {
  if (state.status === 'compensating') return true;
  if (stepName === undefined) {
    state.step = steps.length;
    return true;
  }
  const step = steps.findIndex(({ name }) => name === stepName);
  if (step >= 0) state.step = step;
  return step >= 0;
}
