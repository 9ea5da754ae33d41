import type { PatternGrammar } from '../../intake/dispatch/routes.ts';
/** Characters of the name of a topic. */
export const longestTopic = 249;

/** What the name of a topic consists of. */
export const topicPattern = {
  source: '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,249}$',
  says: 'must be the name of a topic: letters, digits, `.`, `_` and `-`, at most 249',
};

/** Why a text is not the name of a topic, or undefined. */
export function checkTopic(topic: string): string | undefined {
  return new RegExp(topicPattern.source).test(topic) ? undefined : `"${topic}" ${topicPattern.says}`;
}

/** Operations are names of topics, or `*`. */
export const topicNames: PatternGrammar = { separator: undefined, one: undefined, many: undefined, everyMatch: false };
