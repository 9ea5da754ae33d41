import type { RuleWatch, WatchedRule } from './part.ts';
import { whenDone } from './when-done.ts';

/**
 * Announces one rule around its work, which may take time. `frame` is what its expression reads. A promise only when
 * the work gives one, or when the watcher pauses the rule.
 */
export function watched<T>(watch: RuleWatch, rule: number, frame: object, work: () => T | Promise<T>): T | Promise<T> {
  const wait = watch.enter(rule, frame);
  if (wait !== undefined) return wait.then(() => evaluated(watch, rule, frame, work));
  return evaluated(watch, rule, frame, work);
}

function evaluated<T>(watch: RuleWatch, rule: number, frame: object, work: () => T | Promise<T>): T | Promise<T> {
  const succeed = (result: T) => whenDone(watch.leave(rule, frame, undefined, result), () => result);
  const fail = (error: unknown) =>
    whenDone<void, never>(watch.leave(rule, frame, error, undefined), () => {
      throw error;
    });
  let result: T | Promise<T>;
  try {
    result = work();
  } catch (error) {
    return fail(error);
  }
  return result instanceof Promise ? result.then(succeed, fail) : succeed(result);
}

/** Announces the rules one after the other, the first one as number `first`. */
export function watchedAll(
  watch: RuleWatch,
  frame: object,
  works: readonly (() => unknown)[],
  first = 0,
): void | Promise<void> {
  for (let at = 0; at < works.length; at++) {
    const waits = watched(watch, first + at, frame, works[at] as () => unknown);
    if (waits instanceof Promise)
      return waits.then(() => watchedAll(watch, frame, works.slice(at + 1), first + at + 1));
  }
}

/** Watches nothing. */
export const unwatched: RuleWatch = { enter: () => undefined, leave: () => undefined };

/** The watch of rules that follow `first` others. */
export function behind(watch: RuleWatch, first: number): RuleWatch {
  if (first === 0) return watch;
  return {
    enter: (rule, frame) => watch.enter(first + rule, frame),
    leave: (rule, frame, error, result) => watch.leave(first + rule, frame, error, result),
  };
}

/** Rules of several origins as those of one stage. */
export function numbered(rules: readonly Omit<WatchedRule, 'index'>[]): readonly WatchedRule[] {
  return rules.map((rule, index) => ({ ...rule, index }));
}
