import { parseDuration } from '@svc/protocol/model';
import type { Calendar } from './calendar.ts';
import { isZone } from './zone.ts';

/** When a flow runs, as it is written in one text (supplement-flows 3.16). */
export type Schedule =
  /** Not at all: `always`, or nothing. */
  | { readonly kind: 'never' }
  /** Every so many milliseconds. */
  | { readonly kind: 'every'; readonly interval: number }
  /** At wall times, in the zone of the prefix when there is one. */
  | { readonly kind: 'calendar'; readonly calendar: Calendar; readonly zone: string | undefined };

/** Why a text is no schedule: one sentence. */
export interface ScheduleProblem {
  readonly problem: string;
}

const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/** Reads a schedule. */
export function parseSchedule(written: string): Schedule | ScheduleProblem {
  const text = written.trim();
  if (text === '' || text.toLowerCase() === 'always') return { kind: 'never' };
  const prefix = /^(?:CRON_)?TZ=(\S*)\s*/.exec(text);
  const zone = prefix?.[1];
  if (zone !== undefined && !isZone(zone)) return { problem: `there is no time zone "${zone}"` };
  const rest = prefix === null ? text : text.slice(prefix[0].length);
  if (rest === '') return { problem: 'a time zone alone is no schedule' };
  if (rest.startsWith('@every')) return parseInterval(rest.slice('@every'.length));
  const macro = macros.get(rest.toLowerCase());
  if (rest.startsWith('@') && macro === undefined)
    return { problem: `"${rest}" is not known; there are ${[...macros.keys()].join(', ')} and @every <duration>` };
  const calendar = parseFields(macro ?? rest);
  return 'problem' in calendar ? calendar : { kind: 'calendar', calendar, zone };
}

function parseInterval(written: string): Schedule | ScheduleProblem {
  const interval = /^\s/.test(written) ? parseDuration(written.trim()) : undefined;
  if (interval === undefined) return { problem: '@every needs a duration behind it, such as @every 5m' };
  if (interval < 1000) return { problem: 'the shortest interval is a second' };
  return { kind: 'every', interval };
}

interface FieldSpec {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Words for the numbers, the first for `least`. */
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const fields: readonly FieldSpec[] = [
  { name: 'second', least: 0, most: 59, names: [] },
  { name: 'minute', least: 0, most: 59, names: [] },
  { name: 'hour', least: 0, most: 23, names: [] },
  { name: 'day of month', least: 1, most: 31, names: [] },
  { name: 'month', least: 1, most: 12, names: months },
  // 7 is Sunday too.
  { name: 'day of week', least: 0, most: 7, names: weekdays },
];

function parseFields(text: string): Calendar | ScheduleProblem {
  const written = text.split(/\s+/);
  if (written.length !== 5 && written.length !== 6)
    return { problem: `a schedule has five fields, or six with seconds first, and not ${written.length}` };
  const whole = written.length === 5 ? ['0', ...written] : written;
  const parsed: Field[] = [];
  for (const [index, spec] of fields.entries()) {
    const field = parseField(whole[index] as string, spec);
    if ('problem' in field) return field;
    parsed.push(field);
  }
  const [second, minute, hour, day, month, weekday] = parsed as [Field, Field, Field, Field, Field, Field];
  return {
    seconds: sorted(second),
    minutes: sorted(minute),
    hours: sorted(hour),
    days: day.numbers,
    months: sorted(month),
    weekdays: new Set([...weekday.numbers].map((number) => number % 7)),
    eitherDay: day.restricted && weekday.restricted,
  };
}

function sorted({ numbers }: Field): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}

interface Field {
  readonly numbers: ReadonlySet<number>;
  /** Whether it says more than "any". */
  readonly restricted: boolean;
}

function parseField(text: string, spec: FieldSpec): Field | ScheduleProblem {
  const numbers = new Set<number>();
  let restricted = true;
  for (const item of text.split(',')) {
    const range = parseItem(item, spec);
    if ('problem' in range) return range;
    for (let number = range.from; number <= range.to; number += range.step) numbers.add(number);
    if (range.any && range.step === 1) restricted = false;
  }
  return { numbers, restricted };
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly any: boolean;
}

/** `*`, `?`, `5`, `1-5`, each with `/step`; `5/10` goes on to the end. */
function parseItem(item: string, spec: FieldSpec): Range | ScheduleProblem {
  const wrong = (why: string): ScheduleProblem => ({ problem: `${why} in the field for ${spec.name}` });
  const parts = /^([^/]*)(?:\/(\d{1,9}))?$/.exec(item);
  if (parts === null) return wrong(`"${item}" is not understood`);
  const [, range = '', written] = parts;
  const step = written === undefined ? 1 : Number(written);
  if (step === 0) return wrong('a step of 0 leads nowhere');
  const { least, most } = spec;
  if (range === '*' || range === '?') return { from: least, to: most === 7 ? 6 : most, step, any: true };
  const ends = range.split('-');
  const numbers = ends.map((end) => numberOf(end, spec));
  const unknown = ends.find((_, index) => numbers[index] === undefined);
  if (unknown !== undefined || ends.length > 2)
    return wrong(`"${unknown ?? range}" is no ${spec.names.length > 0 ? 'number or name' : 'number'}`);
  const [from, end = written === undefined ? from : most === 7 ? 6 : most] = numbers as [number, number?];
  // A week may end with Sunday.
  const to = most === 7 && ends.length === 2 && end === 0 && from > 0 ? 7 : end;
  for (const number of [from, to])
    if (number < least || number > most) return wrong(`${number} is not from ${least} to ${most}`);
  if (from > to) return wrong(`"${range}" runs backwards`);
  return { from, to, step, any: false };
}

function numberOf(text: string, { names, least }: FieldSpec): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? undefined : least + index;
}
