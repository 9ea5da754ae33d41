import { parseDuration } from '@svc/protocol/model';
import { durationText, longestLifetime } from '@svc/protocol/schema';
import { Cron } from 'croner';
import { isZone } from './zone.ts';

/** When a flow runs, as it is written in one text (docs/specification/workflows.md#schedules). */
export type Schedule =
  /** Not at all: `always`, or nothing. */
  | { readonly kind: 'never' }
  /** At a fixed interval, in milliseconds, which is the same in the zone of the prefix and in any other. */
  | { readonly kind: 'every'; readonly interval: number; readonly zone: string | undefined }
  /** At wall times, in the zone of the prefix when there is one. `times` treats UTC as the wall clock. */
  | { readonly kind: 'calendar'; readonly times: Cron; readonly zone: string | undefined };

/** Why a text is not a schedule: one sentence. */
export interface ScheduleProblem {
  readonly problem: string;
}

const longest = durationText(longestLifetime);

/** Names for schedules that croner knows. */
const nicknames = '@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly';

/** Reads a schedule. */
export function parseSchedule(written: string): Schedule | ScheduleProblem {
  const text = written.trim();
  if (text === '' || text.toLowerCase() === 'always') return { kind: 'never' };
  const prefix = /^(?:CRON_)?TZ=(\S*)\s*/.exec(text);
  const zone = prefix?.[1];
  if (zone !== undefined && !isZone(zone)) return { problem: `there is no time zone "${zone}"` };
  const rest = prefix === null ? text : text.slice(prefix[0].length);
  if (rest === '') return { problem: 'a time zone alone is not a schedule' };
  if (rest.startsWith('@every')) return parseInterval(rest.slice('@every'.length), zone);
  const times = rest.startsWith('@') ? parseNickname(rest) : parseFields(rest);
  return 'problem' in times ? times : { kind: 'calendar', times, zone };
}

function parseNickname(text: string): Cron | ScheduleProblem {
  return timesOf(text) ?? { problem: `"${text}" is not known; there are ${nicknames} and @every <duration>` };
}

function parseInterval(written: string, zone: string | undefined): Schedule | ScheduleProblem {
  const interval = /^\s/.test(written) ? parseDuration(written.trim()) : undefined;
  if (interval === undefined)
    return { problem: `@every needs a duration behind it, such as @every 5m, at most ${longest}` };
  if (interval < 1000) return { problem: 'the shortest interval is a second' };
  return { kind: 'every', interval, zone };
}

interface FieldSpec {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** What may be written beside numbers, in the words of messages to authors. */
  readonly also: string;
}

const fields: readonly FieldSpec[] = [
  { name: 'second', least: 0, most: 59, also: '' },
  { name: 'minute', least: 0, most: 59, also: '' },
  { name: 'hour', least: 0, most: 23, also: '' },
  { name: 'day of month', least: 1, most: 31, also: ', or L for the last' },
  { name: 'month', least: 1, most: 12, also: ', or JAN to DEC' },
  { name: 'day of week', least: 0, most: 7, also: ', or SUN to SAT' },
];

function parseFields(text: string): Cron | ScheduleProblem {
  const written = text.split(/\s+/);
  if (written.length !== 5 && written.length !== 6)
    return { problem: `a schedule has five fields, or six with seconds first, and not ${written.length}` };
  const specs = fields.slice(-written.length);
  const whole = written.map((field, index) => withEnds(field, specs[index] as FieldSpec));
  const alone = (index: number) => whole.map((field, at) => (at === index ? field : '*')).join(' ');
  const wrong = specs.findIndex((spec, index) => !isWithin(whole[index] as string, spec) || !timesOf(alone(index)));
  const times = wrong < 0 ? timesOf(whole.join(' ')) : undefined;
  if (times !== undefined) return times;
  const spec = specs[wrong];
  if (spec === undefined) return { problem: `"${text}" is not understood` };
  const { name, least, most, also } = spec;
  return {
    problem: `"${written[wrong]}" is not understood in the field for ${name}, which takes ${least} to ${most}${also}`,
  };
}

/** `5/10` continues to the end of the field; croner requires the end to be written. */
function withEnds(field: string, { most }: FieldSpec): string {
  // 7 is Sunday again, and the week ends before it.
  return field.replace(/(?<=^|,)(\w+)(?=\/)/g, `$1-${most === 7 ? 6 : most}`);
}

/** Croner ignores numbers beyond the end of a field when a step follows them. */
function isWithin(field: string, { least, most }: FieldSpec): boolean {
  const numbers = field.replace(/[/#]\d+/g, '').match(/\d+/g) ?? [];
  return numbers.every((number) => Number(number) >= least && Number(number) <= most);
}

/**
 * Undefined when there is a mistake in it. Messages of croner count from zero in some fields, so they are not shown.
 */
function timesOf(text: string): Cron | undefined {
  try {
    return new Cron(text, { mode: '5-or-6-parts', utcOffset: 0 });
  } catch {
    return undefined;
  }
}
