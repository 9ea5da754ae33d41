import { checkLength } from '../../intake/operation-rules.ts';
import { topicFilters } from '../../intake/routes.ts';

/** Bytes of a topic or filter in the protocol. */
const longestTopic = 65_535;

/** The topic filter that an operation of a flow means: without one, or with `*`, every topic. */
export function filterOf(operation: string | undefined): string {
  return operation === undefined || operation === '' || operation === '*' ? '#' : operation;
}

/** Why an operation is not a topic filter (MQTT 3.1.1, 4.7), or undefined. Pure. */
export function checkFilter(operation: string): string | undefined {
  const filter = filterOf(operation);
  const tooLong = checkLength(filter, longestTopic, 'a topic');
  if (tooLong !== undefined) return tooLong;
  if (filter.includes('\0')) return 'a topic holds no NUL character';
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
