import type { Metrics } from '../observe/metrics.ts';
import type { SagaAction, SagaProgram, SagaState } from './program.ts';
import type { WorkflowCount } from './store.ts';

export type WorkflowFamilies = Pick<
  Metrics['families'],
  'workflowsActive' | 'workflowsRunning' | 'workflowsFinished' | 'workflowSteps' | 'workflowCompensationFailures'
>;

/** Counts what instances do. */
export class WorkflowMetrics {
  readonly #families: WorkflowFamilies;
  readonly #counted = new WeakMap<SagaProgram, SagaProgram>();
  readonly #seen = new Map<string, readonly [saga: string, status: string]>();

  constructor(families: WorkflowFamilies) {
    this.#families = families;
  }

  /** The same program with actions that are counted. */
  counted(program: SagaProgram): SagaProgram {
    let counted = this.#counted.get(program);
    if (counted === undefined) {
      const steps = program.steps.map((step) => ({
        ...step,
        action: step.action && this.#count(step.action, program.name, step.name),
      }));
      this.#counted.set(program, (counted = { ...program, steps }));
    }
    return counted;
  }

  /** What is under way according to the store, whichever process runs it. */
  active(counts: readonly WorkflowCount[]): void {
    const { workflowsActive } = this.#families;
    for (const labels of this.#seen.values()) workflowsActive.of(...labels).value = 0;
    for (const { saga, status, count } of counts) {
      this.#seen.set(`${saga} ${status}`, [saga, status]);
      workflowsActive.of(saga, status).value = count;
    }
  }

  running(count: number): void {
    this.#families.workflowsRunning.of().value = count;
  }

  finished({ saga, status, compensationErrors }: SagaState): void {
    const { workflowsFinished, workflowCompensationFailures } = this.#families;
    workflowsFinished.of(saga, status).value++;
    if (compensationErrors.length > 0) workflowCompensationFailures.of(saga).value += compensationErrors.length;
  }

  #count(action: SagaAction, saga: string, step: string): SagaAction {
    const { workflowSteps } = this.#families;
    const [succeeded, failed] = [workflowSteps.of(saga, step, 'success'), workflowSteps.of(saga, step, 'error')];
    return async (frame) => {
      try {
        const result = await action(frame);
        succeeded.value++;
        return result;
      } catch (error) {
        failed.value++;
        throw error;
      }
    };
  }
}
