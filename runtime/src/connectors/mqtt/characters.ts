import { checkLength } from '../intake/dispatch/operation-rules.ts';

/**
 * Characters that a text of the protocol must not or should not have (MQTT 5, 1.5.4): NUL and other control characters,
 * surrogates, and noncharacters of Unicode. Brokers end a connection over them.
 */
const unfit = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** The same within the form of an attribute, but for surrogates and noncharacters of more than four digits. */
export const unfitInForms = '\\x00-\\x1f\\x7f-\\x9f\\ufdd0-\\ufdef\\ufffe\\uffff';

/** Bytes of a text in the protocol. */
const longestText = 65_535;

/** Why a text cannot be a topic or in a property, or undefined; `what` names it: `a topic`. Pure. */
export function textProblem(text: string, what: string): string | undefined {
  const found = unfit.exec(text)?.[0].codePointAt(0);
  if (found === undefined) return checkLength(text, longestText, what);
  const code = found.toString(16).toUpperCase().padStart(4, '0');
  return `${what} has no control character, surrogate or noncharacter, and this one has U+${code}`;
}
