import type { Frame } from './frame.ts';
import type { RuleWatch } from './part.ts';

/** Announces one rule around its work. */
export async function watched<T>(watch: RuleWatch, rule: number, frame: Frame, work: () => T): Promise<T> {
  await watch.enter(rule, frame);
  try {
    const result = work();
    watch.leave(rule, frame, undefined);
    return result;
  } catch (error) {
    watch.leave(rule, frame, error);
    throw error;
  }
}
