import type { LogLine, ServiceState } from '../../shared/services.ts';
import { withoutAnsi } from '../debug/console/ansi.ts';
import { count } from '../shell/count.ts';

function missingText(queues: readonly string[]): string {
  const names = queues.map((name) => `"${name}"`).join(' and ');
  return queues.length === 1
    ? `The queue ${names} does not exist at the broker.`
    : `The queues ${names} do not exist at the broker.`;
}

const shownLines = 3;
const longestLine = 240;

/**
 * What to show when the service ended by itself: what happened, then the last lines that it printed; for a start with
 * `errors` in the files, which say it better, how many those are. Undefined when this change is not a failure: the
 * person stopped it, or it was not running.
 */
export function failureOf(
  before: ServiceState,
  now: ServiceState,
  log: readonly LogLine[],
  errors = 0,
): string | undefined {
  if (now.kind !== 'stopped' || now.reason === undefined) return undefined;
  if (before.kind !== 'starting' && before.kind !== 'running') return undefined;
  const what = before.kind === 'starting' ? 'The service did not start' : 'The service ended';
  if (now.missingQueues !== undefined) return missingText(now.missingQueues);
  if (before.kind === 'starting' && errors > 0) return `${what}: its files have ${count(errors, 'error')}.`;
  const lines = log.map(({ text }) => withoutAnsi(text).trim()).filter((text) => /\p{L}/u.test(text));
  const last = lines.slice(-shownLines).map((text) => text.slice(0, longestLine));
  return [`${what}: ${now.reason}.`, ...last].join('\n');
}
