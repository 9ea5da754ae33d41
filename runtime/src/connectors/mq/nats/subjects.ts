import { checkLength } from '../../intake/dispatch/operation-rules.ts';
import type { PatternGrammar } from '../../intake/dispatch/routes.ts';

/** Wildcards of subjects: `*` is one word, `>` at the end one or more. */
export const subjectWildcards: PatternGrammar = {
  separator: '.',
  one: '*',
  many: '>',
  everyMatch: false,
  manyIsSome: true,
};

/** Bytes of a subject. A server refuses lines of more than 4096. */
const longestSubject = 1024;
/** The subjects of the server itself, such as answers and acknowledgements. */
const ownOfServer = /^(\$|_INBOX\.)/;

/** The subject that an operation of a flow means: without one, or with `*` alone, every subject. */
export function subjectOf(operation: string | undefined): string {
  return operation === undefined || operation === '' || operation === '*' || operation === '#' ? '>' : operation;
}

/** Why an operation of a flow is not a subject, with wildcards or without, or undefined. Pure. */
export function checkPattern(operation: string): string | undefined {
  const subject = subjectOf(operation);
  const words = subject.split('.');
  if (words.slice(0, -1).includes('>')) return '">" is the last word of a subject';
  const mixed = words.find((word) => word.length > 1 && /[*>]/.test(word));
  if (mixed !== undefined) return `"${mixed}": a wildcard is a whole word of a subject`;
  return checkWords(subject);
}

/** Why a text is not a subject that messages are published to, or undefined. Pure. */
export function checkSubject(subject: string): string | undefined {
  if (/(^|\.)[*>](\.|$)/.test(subject)) return `"${subject}" has a wildcard: messages are published to one subject`;
  return checkWords(subject);
}

function checkWords(subject: string): string | undefined {
  const tooLong = checkLength(subject, longestSubject, 'a subject');
  if (tooLong !== undefined) return tooLong;
  if (/[\s\p{Cc}]/u.test(subject)) return 'a subject has no blanks';
  if (subject.split('.').includes('')) return `"${subject}" has an empty word: words are separated by single dots`;
  return ownOfServer.test(subject) ? `"${subject}" is a subject of the server itself` : undefined;
}

/**
 * The subjects that are subscribed to: those that another one covers are left out, since the server delivers a message
 * once for each subscription that it matches.
 */
export function subscriptionsOf(operations: readonly (string | undefined)[]): readonly string[] {
  const distinct = [...new Set(operations.map(subjectOf))];
  return distinct.filter((subject) => !distinct.some((other) => other !== subject && covers(other, subject)));
}

/** Whether every subject that `narrow` matches is matched by `wide` too. */
export function covers(wide: string, narrow: string): boolean {
  const wideWords = wide.split('.');
  const narrowWords = narrow.split('.');
  for (const [at, word] of wideWords.entries()) {
    const other = narrowWords[at];
    if (other === undefined) return false;
    if (word === '>') return true;
    if (other === '>' || (word !== '*' && word !== other)) return false;
  }
  return wideWords.length === narrowWords.length;
}
