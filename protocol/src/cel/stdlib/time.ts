import { CelError } from '../engine.ts';
import { CelDuration } from '../values/duration.ts';
import { noOverload } from '../values/failure.ts';
import { kindOf } from '../values/kind.ts';
import { timestampOf } from '../values/ordering.ts';
import { zoneOffset } from '../values/timestamp.ts';
import { textOf } from './arguments.ts';
import type { Builtin, FunctionDefinition } from './definition.ts';

const minute = 60_000;
const day = 86_400_000;

/** Fields of timestamps and durations, and the product's functions over times as text. */
export const time: readonly FunctionDefinition[] = [
  field('getFullYear', 'The year.', '2025', (date) => date.getUTCFullYear()),
  field('getMonth', 'The month, counted from 0.', '2', (date) => date.getUTCMonth()),
  field('getDate', 'The day of the month, counted from 1.', '7', (date) => date.getUTCDate()),
  field('getDayOfMonth', 'The day of the month, counted from 0.', '6', (date) => date.getUTCDate() - 1),
  field('getDayOfWeek', 'The day of the week, Sunday being 0.', '5', (date) => date.getUTCDay()),
  field('getDayOfYear', 'The day of the year, counted from 0.', '65', dayOfYear),
  field('getHours', 'The hour; of a duration, its whole hours.', '8', (date) => date.getUTCHours(), 3_600_000_000_000n),
  field(
    'getMinutes',
    'The minute; of a duration, its whole minutes.',
    '15',
    (date) => date.getUTCMinutes(),
    60_000_000_000n,
  ),
  field(
    'getSeconds',
    'The second; of a duration, its whole seconds.',
    '30',
    (date) => date.getUTCSeconds(),
    1_000_000_000n,
  ),
  {
    ...field('getMilliseconds', 'The milliseconds within the second.', '250', (date) => date.getUTCMilliseconds()),
    signatures: ['timestamp.getMilliseconds(zone?: string) -> int', 'duration.getMilliseconds() -> int'],
    method: (value, zone) =>
      value instanceof CelDuration
        ? (value.nanoseconds / 1_000_000n) % 1000n
        : BigInt(localTime(value, zone).getUTCMilliseconds()),
  },
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
    doc: 'An RFC 3339 text in another form: `YYYY`, `MM`, `DD`, `HH`, `mm` and `ss` are replaced, its offset is kept. A text that is none stays.',
    example: "format_date('2025-03-01T08:15:00Z', 'DD.MM.YYYY') == '01.03.2025'",
    call: (time, format) => formatDate(textOf(time), textOf(format)),
  },
];

function field(
  name: string,
  doc: string,
  result: string,
  read: (date: Date) => number,
  unit?: bigint,
): FunctionDefinition {
  const ofDuration = unit === undefined ? [] : [`duration.${name}() -> int`];
  return {
    name,
    group: 'time',
    signatures: [`timestamp.${name}(zone?: string) -> int`, ...ofDuration],
    doc: `${doc} In UTC, or in a zone such as \`Europe/Berlin\` or \`+02:00\`.`,
    example: `timestamp('2025-03-07T08:15:30.250Z').${name}() == ${result}`,
    method: (value, zone) => {
      if (unit !== undefined && value instanceof CelDuration) return value.nanoseconds / unit;
      return BigInt(read(localTime(value, zone)));
    },
  };
}

/** A Date whose UTC fields are those of the moment in the zone. */
function localTime(value: unknown, zone: unknown): Date {
  if (kindOf(value) !== 'timestamp') noOverload('a field of time', value);
  const { milliseconds } = timestampOf(value);
  if (zone === undefined) return new Date(milliseconds);
  const name = textOf(zone);
  if (name === 'UTC') return new Date(milliseconds);
  const offset = zoneOffset(name);
  return new Date(milliseconds + (offset === undefined ? offsetOf(name, milliseconds) : offset * minute));
}

/** Milliseconds that a zone of the time-zone database is ahead of UTC at a moment. */
function offsetOf(zone: string, milliseconds: number): number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new CelError('invalid-argument', `${JSON.stringify(zone)} is not a time zone`);
  }
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(milliseconds)) parts[type] = value;
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
  const local = new Date(0);
  local.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
  return local.getTime() - Math.floor(milliseconds / 1000) * 1000;
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
