import { CelDuration } from '../values/duration.ts';
import { textOf } from './arguments.ts';
import type { Builtin, FunctionDefinition } from './definition.ts';
import { Zones } from './zones.ts';

const day = 86_400_000;
const millisecond = 1_000_000n;
const second = 1000n * millisecond;
const minute = 60n * second;
const hour = 60n * minute;

/** Fields of timestamps and durations, and the product's functions over times as text. */
export const time: readonly FunctionDefinition[] = [
  field('getFullYear', 'The year.', '2025', (date) => date.getUTCFullYear()),
  field('getMonth', 'The month, counted from 0.', '2', (date) => date.getUTCMonth()),
  field('getDate', 'The day of the month, counted from 1.', '7', (date) => date.getUTCDate()),
  field('getDayOfMonth', 'The day of the month, counted from 0.', '6', (date) => date.getUTCDate() - 1),
  field('getDayOfWeek', 'The day of the week, Sunday being 0.', '5', (date) => date.getUTCDay()),
  field('getDayOfYear', 'The day of the year, counted from 0.', '65', dayOfYear),
  field(
    'getHours',
    'The hour; of a duration, its whole hours.',
    '8',
    (date) => date.getUTCHours(),
    (span) => span / hour,
  ),
  field(
    'getMinutes',
    'The minute; of a duration, its whole minutes.',
    '15',
    (date) => date.getUTCMinutes(),
    (span) => span / minute,
  ),
  field(
    'getSeconds',
    'The second; of a duration, its whole seconds.',
    '30',
    (date) => date.getUTCSeconds(),
    (span) => span / second,
  ),
  field(
    'getMilliseconds',
    'The milliseconds within the second.',
    '250',
    (date) => date.getUTCMilliseconds(),
    (span) => (span / millisecond) % 1000n,
  ),
  {
    name: 'now',
    group: 'time',
    dialect: 'product',
    pure: false,
    signatures: ['now() -> string'],
    doc: 'The current time in UTC as RFC 3339 text with seconds.',
    example: 'timestamp(now()).getFullYear() >= 2025',
    bind:
      ({ environment }): Builtin =>
      () =>
        `${new Date(environment.now()).toISOString().slice(0, 19)}Z`,
  },
  {
    name: 'now_unix',
    group: 'time',
    dialect: 'product',
    pure: false,
    signatures: ['now_unix() -> int'],
    doc: 'Seconds since 1970.',
    example: 'now_unix() > 1735689600',
    bind:
      ({ environment }): Builtin =>
      () =>
        BigInt(Math.floor(environment.now() / 1000)),
  },
  {
    name: 'format_date',
    group: 'time',
    dialect: 'product',
    signatures: ['format_date(time: string, format: string) -> string'],
    doc: 'An RFC 3339 text in another form: `YYYY`, `MM`, `DD`, `HH`, `mm` and `ss` are replaced, its offset is kept. A text that is not in this form stays.',
    example: "format_date('2025-03-01T08:15:00Z', 'DD.MM.YYYY') == '01.03.2025'",
    call: (time, format) => formatDate(textOf(time), textOf(format)),
  },
];

/** A method of timestamps that reads a part of the local time, and of durations where `ofDuration` is given. */
function field(
  name: string,
  doc: string,
  result: string,
  read: (date: Date) => number,
  ofDuration?: (nanoseconds: bigint) => bigint,
): FunctionDefinition {
  return {
    name,
    group: 'time',
    signatures: [`timestamp.${name}(zone?: string) -> int`, ...(ofDuration ? [`duration.${name}() -> int`] : [])],
    doc: `${doc} In UTC, or in a zone such as \`Europe/Berlin\` or \`+02:00\`.`,
    example: `timestamp('2025-03-07T08:15:30.250Z').${name}() == ${result}`,
    bind: () => {
      const zones = new Zones();
      return (value, zone) => {
        if (ofDuration && value instanceof CelDuration) return ofDuration(value.nanoseconds);
        return BigInt(read(zones.localTime(value, zone)));
      };
    },
  };
}

function dayOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / day);
}

function formatDate(time: string, format: string): string {
  const match = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.exec(time);
  if (!match || Number.isNaN(Date.parse(time))) return time;
  const [, YYYY, MM, DD, HH, mm, ss] = match as unknown as Record<number, string> & string[];
  const fields: Readonly<Record<string, string | undefined>> = { YYYY, MM, DD, HH, mm, ss };
  return format.replace(/YYYY|MM|DD|HH|mm|ss/g, (token) => fields[token] as string);
}
