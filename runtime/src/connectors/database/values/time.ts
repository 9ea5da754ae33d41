const dateAndTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?(?::?\d{2})?)?)?$/i;

/**
 * A date or time as a database writes it, as RFC 3339 in UTC. A value without a zone is UTC, a date is its midnight.
 * The fraction keeps its digits without trailing zeros. What has no such form (`infinity`, years beyond 9999, text in a
 * column that only claims to hold times) stays as it is, since no value may make a read fail.
 */
export function toRfc3339(text: string): string {
  const match = dateAndTime.exec(text);
  if (match === null) return text;
  const [, year, month, day, hour = '00', minute = '00', second = '00', digits = '', zone = 'Z'] = match;
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  // Date.UTC takes years below 100 as 1900 and later.
  const milliseconds = Number(year) < 100 ? new Date(local).setUTCFullYear(Number(year)) : local;
  const utc = new Date(milliseconds - offset(zone));
  if (Number.isNaN(utc.getTime()) || utc.getUTCFullYear() > 9999 || utc.getUTCFullYear() < 0) return text;
  if (Number(month) > 12 || new Date(milliseconds).getUTCDate() !== Number(day) + Math.floor(Number(hour) / 24))
    return text;
  const fraction = digits.replace(/0+$/, '');
  return `${utc.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
}

/** A date as a database writes it: the date of RFC 3339, without a time and so without a zone to shift it. */
export function toDate(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : toRfc3339(text);
}

/** Milliseconds east of UTC. */
function offset(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const digits = zone.slice(1).replaceAll(':', '');
  const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60 + Number(digits.slice(4, 6));
  return (zone[0] === '-' ? -1000 : 1000) * seconds;
}
