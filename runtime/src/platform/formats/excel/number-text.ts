/** What the format of a number says of it (ECMA-376, part 1, 18.8.31). */
export type NumberKind = 'number' | 'date' | 'time' | 'date-time' | 'elapsed';

/** Days from the beginning of 1970 back to those from which workbooks count. */
const epochs = { from1900: 25_569, from1904: 24_107 } as const;
const dayMilliseconds = 86_400_000;
/** The first day after 31 December 9999. */
const endOfDates = 2_958_466;

/** The text of a number in a cell: what is a date or a time in ISO 8601, else the digits, without an exponent. */
export function numberText(written: string, kind: NumberKind, is1904: boolean): string {
  const text = written.trim();
  const value = Number(text);
  if (text === '' || !Number.isFinite(value)) return text;
  const milliseconds = Math.round(value * dayMilliseconds);
  if (kind !== 'number' && value >= 0 && milliseconds < endOfDates * dayMilliseconds)
    return kind === 'elapsed' ? elapsedText(milliseconds) : dateText(milliseconds, kind, is1904);
  // Whole numbers of any length are identifiers as often as amounts.
  if (/^-?\d+$/.test(text)) return text;
  return plainText(value);
}

function elapsedText(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000);
  return `${String(hours).padStart(2, '0')}${timeText(milliseconds % 3_600_000).slice(2)}`;
}

function dateText(milliseconds: number, kind: 'date' | 'time' | 'date-time', is1904: boolean): string {
  const ofDay = milliseconds % dayMilliseconds;
  const days = (milliseconds - ofDay) / dayMilliseconds;
  if (kind === 'time' && days === 0) return timeText(ofDay);
  // Workbooks count a 29 February 1900, which there was not.
  const shift = is1904 ? epochs.from1904 : days < 60 ? epochs.from1900 - 1 : epochs.from1900;
  const date = new Date((days - shift) * dayMilliseconds).toISOString().slice(0, 10);
  return kind === 'date' && ofDay === 0 ? date : `${date}T${timeText(ofDay)}`;
}

function timeText(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString().slice(11, 23);
  return text.endsWith('.000') ? text.slice(0, 8) : text;
}

/** A number with the fifteen digits that spreadsheets have. */
function plainText(value: number): string {
  const text = String(Number(value.toPrecision(15)));
  const [, sign = '', whole = '', fraction = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}
