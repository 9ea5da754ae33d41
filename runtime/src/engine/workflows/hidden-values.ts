import type { WatchedStage } from '../../foundation/contracts/probe.ts';
import { isNeverShown, namesCredential } from '../../foundation/observe/mask.ts';

/**
 * When the values of an instance are not shown, since rules may have derived them from hidden values: nowhere
 * (`always`), or outside development (`outside_development`), where fields named like credentials are hidden too.
 */
export type HiddenValues = 'always' | 'outside_development';

/** A map with headers that is read without the name of one: every header may be in the result. */
const unnamedHeader = /\bheaders\b(?!\s*(?:\.|\[\s*["']))/;
/** The same for the whole message, except where it is passed on unchanged with its names. */
const wholeInput = /(?<![\w.])input(?!\s*(?:[.\w]|\[\s*["']))/;

/**
 * Whether some rule of these stages names a hidden value, so that kept values may be derived from it under any name. It
 * examines the text alone, and prefers false positives to false negatives.
 */
export function hiddenValuesIn(stages: readonly WatchedStage[]): HiddenValues | undefined {
  let found: HiddenValues | undefined;
  for (const { rules } of stages)
    for (const { target, expression } of rules) {
      const words = [...(expression.match(/[\w-]+/g) ?? []), target.slice(target.lastIndexOf('.') + 1)];
      const isUnnamed =
        unnamedHeader.test(expression) || (expression.trim() !== 'input' && wholeInput.test(expression));
      if (isUnnamed || words.some(isNeverShown)) return 'always';
      if (words.some(namesCredential)) found = 'outside_development';
    }
  return found;
}

/** The stricter of two. */
export function stricter(one: HiddenValues | undefined, other: HiddenValues | undefined): HiddenValues | undefined {
  return one === 'always' || other === undefined ? one : other === 'always' || one === undefined ? other : one;
}
