import type { RuleWatch } from './part.ts';

/** Announces one rule around its work. `frame` is what its expression reads. */
export async function watched<T>(watch: RuleWatch, rule: number, frame: object, work: () => T): Promise<T> {
  const wait = watch.enter(rule, frame);
  if (wait !== undefined) await wait;
  let result: T;
  try {
    result = work();
  } catch (error) {
    await watch.leave(rule, frame, error, undefined);
    throw error;
  }
  const after = watch.leave(rule, frame, undefined, result);
  if (after !== undefined) await after;
  return result;
}
