import { topicFilters } from '../intake/dispatch/routes.ts';
import { textProblem } from './characters.ts';

/** Why a message cannot be published to this topic (MQTT 3.1.1, 4.7), or undefined. Pure. */
export function checkTopic(topic: string): string | undefined {
  if (topic === '') return 'a topic is not empty';
  const { one, many } = topicFilters as { one: string; many: string };
  if (topic.includes(one) || topic.includes(many))
    return `a message is published to one topic, without "${one}" and "${many}"`;
  return textProblem(topic, 'a topic');
}

/** A level of an operation that any one level of a topic matches, whose text is a variable below `input`. */
const parameterLevel = /^\{([A-Za-z]\w*)\}$/;

/** The topic filter that an operation of a flow means: without one, or with `*`, every topic. */
export function filterOf(operation: string | undefined): string {
  if (operation === undefined || operation === '' || operation === '*') return '#';
  if (!operation.includes('{')) return operation;
  return operation
    .split('/')
    .map((level) => (parameterLevel.test(level) ? (topicFilters.one as string) : level))
    .join('/');
}

/** Names of the parameters of an operation (`plant/{site}/temperature`), in written order. Pure. */
export function topicParameters(operation: string): readonly string[] {
  return operation.split('/').flatMap((level) => parameterLevel.exec(level)?.[1] ?? []);
}

/** The topics that an operation means, as others read them: `plant/{site}/{level_3}/{levels}`. Pure. */
export function addressedTopics(operation: string | undefined): string {
  if (filterOf(operation) === '#') return '{levels}';
  const levels = (operation as string).split('/');
  return levels
    .map((level, at) =>
      level === topicFilters.many ? '{levels}' : level === topicFilters.one ? `{level_${at + 1}}` : level,
    )
    .join('/');
}

/** Puts the levels that an operation names by parameters into the variables of a flow; undefined without parameters. */
export function parameterReader(operation: string | undefined) {
  const places = (operation?.split('/') ?? []).flatMap((level, at) => {
    const name = parameterLevel.exec(level)?.[1];
    return name === undefined ? [] : [[at, name] as const];
  });
  if (places.length === 0) return undefined;
  return (topic: string, input: Record<string, unknown>): void => {
    const levels = topic.split('/');
    for (const [at, name] of places) input[name] = levels[at];
  };
}

/** Why an operation is not a topic filter (MQTT 3.1.1, 4.7), or undefined. Pure. */
export function checkFilter(operation: string): string | undefined {
  if (operation.startsWith('$share/'))
    return 'a shared subscription is that of the whole connector: write its group as share_group there, and the topics here';
  const names = topicParameters(operation);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `"{${twice}}" is written twice`;
  const malformed = operation.split('/').find((level) => level.includes('{') && !parameterLevel.test(level));
  if (malformed !== undefined) return `"${malformed}": a parameter is a whole level of a topic, such as {site}`;
  const filter = filterOf(operation);
  const problem = textProblem(filter, 'a topic');
  if (problem !== undefined) return problem;
  const levels = filter.split('/');
  const { one, many } = topicFilters as { one: string; many: string };
  if (levels.slice(0, -1).includes(many)) return `"${many}" is the last level of a topic filter`;
  const partial = levels.find((level) => level.length > 1 && (level.includes(one) || level.includes(many)));
  return partial === undefined ? undefined : `"${partial}": a wildcard is a whole level of a topic filter`;
}

/**
 * The filters that are subscribed to: those that another one covers are left out, since a broker may deliver a message
 * once for each subscription that it matches.
 */
export function subscriptionsOf(filters: readonly string[]): readonly string[] {
  const distinct = [...new Set(filters)];
  return distinct.filter((filter) => !distinct.some((other) => other !== filter && covers(other, filter)));
}

/** Whether every topic that `narrow` matches is matched by `wide` too. */
function covers(wide: string, narrow: string): boolean {
  const wideLevels = wide.split('/');
  const narrowLevels = narrow.split('/');
  // Topics that begin with `$` are matched by no wildcard at the first level.
  if (narrow.startsWith('$') && !wide.startsWith('$')) return false;
  for (const [at, level] of wideLevels.entries()) {
    if (level === topicFilters.many) return true;
    const other = narrowLevels[at];
    if (other === undefined || other === topicFilters.many) return false;
    if (level !== topicFilters.one && level !== other) return false;
  }
  return wideLevels.length === narrowLevels.length;
}
