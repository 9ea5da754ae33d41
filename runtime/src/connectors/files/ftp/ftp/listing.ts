import type { FileInfo } from 'basic-ftp';
import { noName } from '../listed-name.ts';

/** A line of the list of a folder. */
export interface Listed {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes; of a link it may be those of the link. */
  readonly size: number;
  /** Milliseconds since 1970; undefined where the list does not say it. */
  readonly modified: number | undefined;
}

/** Facts and a name (RFC 3659, section 7.2). */
const factLine = /^((?:[^\s=;]+=[^;]*;)+) (.*)$/s;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const day = 86_400_000;

/**
 * Reads the list of a folder: of MLSD, or as a server writes it for people, whose times are taken for UTC. `parse` is the
 * reader of the latter. Names are as the server says them.
 */
export function entriesIn(
  raw: string,
  parse: (raw: string) => readonly FileInfo[],
  now = Date.now(),
): readonly Listed[] {
  const lines = raw.split(/\r?\n/).filter((line) => line.trim() !== '');
  // Its name would be cut there, and be that of another file.
  if (lines.some((line) => line.includes('\r'))) throw noName();
  if (lines[0] === undefined || !factLine.test(lines[0])) return parse(raw).map((info) => ofPeople(info, now));
  return lines.map(factsOf).filter((entry) => entry !== undefined);
}

/** A line of MLSD or MLST; undefined of the folder itself and the one around it, and of a malformed line. */
export function factsOf(line: string): Listed | undefined {
  const [, facts = '', name = ''] = factLine.exec(line) ?? [];
  const values = new Map(
    facts.split(';').map((fact): [string, string] => {
      const at = fact.indexOf('=');
      return [fact.slice(0, at).toLowerCase(), fact.slice(at + 1)];
    }),
  );
  const type = values.get('type')?.toLowerCase() ?? '';
  if (facts === '' || type === 'cdir' || type === 'pdir' || name === '.' || name === '..') return undefined;
  const kind =
    type === 'file' ? 'file' : type === 'dir' ? 'folder' : /^os\.unix=s(?:ym)?link/.test(type) ? 'link' : 'other';
  const size = Number(values.get('size') ?? 0);
  return { name, kind, size: sizeFrom(size), modified: timeFrom(values.get('modify') ?? '') };
}

/** `YYYYMMDDHHMMSS[.sss]` in UTC (RFC 3659, section 2.3) as milliseconds since 1970. */
export function timeFrom(written: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,3}))?/.exec(written);
  if (parts === null) return undefined;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  return Date.UTC(year, month - 1, date, hour, minute, second, Number((parts[7] ?? '').padEnd(3, '0')));
}

function ofPeople(info: FileInfo, now: number): Listed {
  const kind = info.isFile ? 'file' : info.isDirectory ? 'folder' : info.isSymbolicLink ? 'link' : 'other';
  return { name: info.name, kind, size: sizeFrom(info.size), modified: timeForPeople(info.rawModifiedAt, now) };
}

/** `Nov 26 21:20` of the last year, `Nov 26 2024`, or `2024-11-26 21:20`; undefined for anything else. */
export function timeForPeople(written: string, now: number): number | undefined {
  const [, year, month, date, hour, minute] = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)$/.exec(written) ?? [];
  if (year !== undefined) return Date.UTC(Number(year), Number(month) - 1, Number(date), Number(hour), Number(minute));
  const [, name = '', of, rest = ''] = /^(\S{3})\s+(\d{1,2}) (\d{4}|\d{1,2}:\d\d)$/.exec(written) ?? [];
  const at = months.indexOf(name.toLowerCase());
  if (at < 0) return undefined;
  if (!rest.includes(':')) return Date.UTC(Number(rest), at, Number(of));
  const [hours, minutes] = rest.split(':').map(Number);
  const thisYear = new Date(now).getUTCFullYear();
  const time = Date.UTC(thisYear, at, Number(of), hours, minutes);
  // A time without a year is of the last twelve months, as far as clocks and zones agree.
  return time > now + day ? Date.UTC(thisYear - 1, at, Number(of), hours, minutes) : time;
}

function sizeFrom(size: number): number {
  return Number.isSafeInteger(size) && size >= 0 ? size : 0;
}
