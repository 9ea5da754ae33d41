import type { IncomingHttpHeaders } from 'node:http';

/** What tells the version that would be answered from others. */
export interface Validators {
  /** As the header `ETag` has it; a weak one begins with `W/`. */
  readonly etag: string | undefined;
  /** Seconds since 1970, which is what headers say. */
  readonly modified: number | undefined;
}

/** Headers of an answer that also say something of a version that the caller has already (RFC 9110, 15.4.5). */
const ofVersions = new Set(['cache-control', 'content-location', 'etag', 'expires', 'last-modified', 'vary']);

/** Those of an answer that go out with a 304 in its place, names and values in turn. */
export function headersOfVersion(headers: readonly string[]): string[] {
  return headers.filter((_, at) => ofVersions.has((headers[at - (at % 2)] as string).toLowerCase()));
}

export type Precondition = 'met' | 'not_modified' | 'failed';

/**
 * What the conditions of a request that reads mean for the version that is there (RFC 9110, 13.2.2): each of them is
 * evaluated only where no other before it decides. A malformed date is as if it were absent.
 */
export function preconditionOf(headers: IncomingHttpHeaders, { etag, modified }: Validators): Precondition {
  const {
    'if-match': match,
    'if-unmodified-since': unmodified,
    'if-none-match': noneMatch,
    'if-modified-since': changed,
  } = headers;
  if (match !== undefined) {
    if (!names(match, etag, isSameStrongly)) return 'failed';
  } else if (isAfter(modified, unmodified)) return 'failed';
  if (noneMatch !== undefined) return names(noneMatch, etag, isSameWeakly) ? 'not_modified' : 'met';
  return changed !== undefined && isAfter(modified, changed) === false ? 'not_modified' : 'met';
}

/**
 * Whether a request for a range wants it of the version that is there: another one is answered as a whole (RFC 9110, 13.1.5).
 * `now` is in seconds: a version of the running second may become another one within it.
 */
export function isRangeWanted(
  written: IncomingHttpHeaders[string],
  { etag, modified }: Validators,
  now: number,
): boolean {
  if (written === undefined) return true;
  if (Array.isArray(written)) return false;
  if (written.includes('"')) return etag !== undefined && isSameStrongly(written.trim(), etag);
  const date = secondsOf(written);
  return date !== undefined && date === modified && modified < now;
}

/** Whether a list of entity tags names this one; `*` names any. */
function names(list: string, etag: string | undefined, isSame: (one: string, other: string) => boolean): boolean {
  if (list.trim() === '*') return true;
  const tags = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return etag !== undefined && tags.some((tag) => isSame(tag, etag));
}

function isSameStrongly(one: string, other: string): boolean {
  return one === other && !one.startsWith('W/');
}

function isSameWeakly(one: string, other: string): boolean {
  return one.replace(/^W\//, '') === other.replace(/^W\//, '');
}

/** Whether it was modified after a date of a header; undefined where one of them is not known. */
function isAfter(modified: number | undefined, written: string | undefined): boolean | undefined {
  const date = written === undefined ? undefined : secondsOf(written);
  return date === undefined || modified === undefined ? undefined : modified > date;
}

const usual = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const longDay = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ofC = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** A date of a header in each of its three forms (RFC 9110, 5.6.7). */
function secondsOf(written: string): number | undefined {
  const text = written.trim();
  const zoned = ofC.test(text) ? `${text} GMT` : text;
  if (zoned === text && !usual.test(text) && !longDay.test(text)) return undefined;
  const seconds = Date.parse(zoned) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}
