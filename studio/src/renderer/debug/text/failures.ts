import type { Debugger, FailurePlace } from '../debugger.ts';
import { debugOf } from '../session/session.ts';
import type { Thread } from '../session/thread.ts';

/** A line of one text at which the run that its flow shows has failed. */
export interface ShownFailure extends FailurePlace {
  readonly thread: Thread;
}

/** The failures of the runs that the flows of a text show. */
export function failuresIn(owner: Debugger, path: string): readonly ShownFailure[] {
  const { model } = debugOf(owner.studio);
  return owner.flows.outline.value.flows.flatMap(({ name }) => {
    const thread = model.runOf(name);
    const place = thread && owner.failureOf(thread);
    return thread && place?.file === path ? [{ ...place, thread }] : [];
  });
}
