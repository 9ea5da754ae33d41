import type { Refusal } from './source.ts';

/** Which versions of a plugin may be used. */
export interface Constraint {
  /** As it is written. */
  readonly text: string;
  /** The same as a range of `semver`. */
  readonly range: string;
}

/** The constraint of a declaration that names none: the newest release. */
export const newest = 'latest';

const number = '(0|[1-9]\\d{0,9})';
const term = new RegExp(`^(\\^|~>|~|>=|<=|>|<|=)\\s*v?(${number}(\\.${number}){0,2})$`);
const exact = new RegExp(
  `^(?:=\\s*)?v?(${number}\\.${number}\\.${number}(-[0-9A-Za-z-]{1,32}(\\.[0-9A-Za-z-]{1,32}){0,7})?)$`,
);

/** Terms of the longest constraint. */
const mostTerms = 8;

/**
 * Reads `^1.0`, `~2.0`, `~> 2.0`, `>= 1.0, < 3.0`, `1.2.3`, `2.0.0-beta.1` or `latest` (docs/plugins.md#versions). Ranges never
 * hold a pre-release: it is named exactly.
 */
export function readConstraint(written: string): Constraint | Refusal {
  const text = written.trim();
  if (text === newest) return { text, range: '*' };
  const one = exact.exec(text)?.[1];
  if (one !== undefined) return { text, range: one };
  const terms = text.split(',').map((each) => term.exec(each.trim()));
  if (terms.length > mostTerms || terms.some((each) => each === null))
    return {
      problem: `"${text.replace(/[\x00-\x1f\x7f-\x9f]/g, '?').slice(0, 80)}" is not a version of a plugin`,
      help: 'Write ^1.0, ~2.0, ">= 1.0, < 3.0", a whole version such as 1.2.3 or 2.0.0-beta.1, or latest.',
    };
  // The package takes ~> for ~, as it is meant.
  return { text, range: terms.map((each) => `${each?.[1]}${each?.[2]}`).join(' ') };
}
