import type { Metrics } from '../../../foundation/observe/metrics.ts';
import type { SagaAction, SagaProgram, SagaState, SagaStatus } from '../program.ts';
import type { WorkflowCount } from '../store/store.ts';

export type WorkflowFamilies = Pick<
  Metrics['families'],
  'workflowsActive' | 'workflowsRunning' | 'workflowsFinished' | 'workflowSteps' | 'workflowCompensationFailures'
>;

const activeStatuses: readonly SagaStatus[] = ['running', 'waiting', 'compensating'];

/** Counts what instances do. */
export class WorkflowMetrics {
  readonly #families: WorkflowFamilies;
  readonly #counted = new WeakMap<SagaProgram, SagaProgram>();
  /** Sagas that the store contains, including those of other configurations. */
  readonly #seen = new Set<string>();

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

  /** What is in progress according to the store, in all processes; every saga of the configuration has a value. */
  active(counts: readonly WorkflowCount[], sagas: Iterable<string>): void {
    const { workflowsActive } = this.#families;
    for (const { saga } of counts) this.#seen.add(saga);
    for (const saga of new Set([...sagas, ...this.#seen]))
      for (const status of activeStatuses) workflowsActive.of(saga, status).value = 0;
    for (const { saga, status, count } of counts) workflowsActive.of(saga, status).value = count;
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
    return async (frame, tried) => {
      try {
        const result = await action(frame, tried);
        succeeded.value++;
        return result;
      } catch (error) {
        failed.value++;
        throw error;
      }
    };
  }
}
