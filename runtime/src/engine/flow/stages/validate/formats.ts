import type { fieldFormats } from './spec.ts';

type Format = (typeof fieldFormats)[number];

/** Whether a text has the format, and the message when it has not. Each takes time in the length of the text. */
export const formatChecks: Readonly<Record<Format, { readonly says: string; holds(text: string): boolean }>> = {
  email: { says: 'must be an e-mail address', holds: (text) => text.includes('@') && text.includes('.') },
  url: {
    says: 'must be an address that begins with http:// or https://',
    holds: (text) => text.startsWith('http://') || text.startsWith('https://'),
  },
  uuid: {
    says: 'must be a UUID',
    holds: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  },
  date: { says: 'must be a date such as 2030-01-31', holds: isDate },
  datetime: { says: 'must be a time such as 2030-01-31T10:00:00Z', holds: isDateTime },
  phone: { says: 'must be a telephone number', holds: isPhone },
  ip: { says: 'must be an IP address', holds: (text) => isIpv4(text) || isIpv6(text) },
};

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  return day >= 1 && month >= 1 && month <= 12 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** RFC 3339, including a leap second. */
function isDateTime(text: string): boolean {
  const parts = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/.exec(text);
  if (!parts || !isDate(parts[1] as string)) return false;
  const [hour, minute, second, zoneHour = 0, zoneMinute = 0] = parts
    .slice(2)
    .map((part) => (part === undefined ? 0 : Number(part)));
  return (
    (hour as number) < 24 && (minute as number) < 60 && (second as number) <= 60 && zoneHour < 24 && zoneMinute < 60
  );
}

function isPhone(text: string): boolean {
  if (!/^\+?[0-9 .()-]*$/.test(text)) return false;
  const digits = text.replace(/[^0-9]/g, '').length;
  return digits >= 7 && digits <= 15;
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const all = groups.flat();
  const last = all.at(-1);
  const embedded = last?.includes('.') === true;
  if (embedded && !isIpv4(last as string)) return false;
  const hexadecimal = embedded ? all.slice(0, -1) : all;
  if (!hexadecimal.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  const count = hexadecimal.length + (embedded ? 2 : 0);
  return halves.length === 2 ? count <= 7 : count === 8;
}
