import { shown } from './shown.ts';

/** What is shown instead of a value that must not be read. */
export const mask = '***';

const credentialName =
  /pass(?:word|wd|phrase)|^pwd$|secret|(?:^|[_.-])tokens?$|[a-z]Token$|api[_-]?key|private[_-]?key|authorization|cookie|credential|connection[_-]?string|reset[_-]?url|^dsn$/i;

const neverShown = /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i;

/** Whether a field or header of this name is not even shown in development. */
export function isNeverShown(name: string): boolean {
  return neverShown.test(name);
}

/** Whether a field or header of this name holds a credential (docs/specification/debugging.md#what-is-hidden). */
export function namesCredential(name: string): boolean {
  return credentialName.test(name);
}

/** Credentials of connectors, which are searched in every message of a driver. */
const credentials = new Set<string>();
/** Shorter ones would be found in ordinary words. */
const shortestCredential = 6;

/** Masks what the values of a connector hold under names of credentials, and passwords of URLs, in all that is printed. */
export function hideCredentials(values: unknown, depth = 0): void {
  if (typeof values === 'string') {
    for (const [, password] of values.matchAll(/:\/\/[^/\s:@]*:([^/\s@]+)@/g)) {
      hideCredential(password as string);
      try {
        hideCredential(decodeURIComponent(password as string));
      } catch {
        // It is not encoded as a part of a URL; the text itself is hidden.
      }
    }
  } else if (typeof values === 'object' && values !== null && depth < deepest)
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'string' && namesCredential(name)) hideCredential(value);
      hideCredentials(value, depth + 1);
    }
}

function hideCredential(text: string): void {
  if (text.length >= shortestCredential) credentials.add(text);
}

/** The text with credentials masked: those of connectors, and the password of every URL. */
export function maskCredentials(text: string): string {
  let shown = text;
  for (const each of credentials) if (shown.includes(each)) shown = shown.replaceAll(each, mask);
  return maskPasswords(shown);
}

function maskPasswords(text: string): string {
  return text.includes('://') ? text.replace(/(:\/\/[^/\s:@]*):[^/\s@]+@/g, `$1:${mask}@`) : text;
}

const deepest = 8;
const longestList = 100;

/**
 * A copy of the value that may be printed as JSON: credentials masked by name, errors as their messages, whole numbers
 * beyond 2^53 as text, bytes as their length, and what is nested too deeply or refers to itself cut.
 */
export function printable(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case 'string':
      return maskCredentials(value);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'function':
    case 'symbol':
      return `[${typeof value}]`;
    case 'object':
      return value === null ? null : printableObject(value, depth);
    default:
      return value;
  }
}

function printableObject(value: object, depth: number): unknown {
  if (value instanceof Error) return errorText(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= deepest) return '[…]';
  if (shown in value) return printable(value[shown], depth);
  if (Array.isArray(value)) {
    const items = value.slice(0, longestList).map((item) => printable(item, depth + 1));
    if (value.length > longestList) items.push(`… ${value.length - longestList} more`);
    return items;
  }
  const entries = value instanceof Map ? value : Object.entries(value);
  const copy: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, item] of entries) {
    if (item === undefined) continue;
    const key = String(name);
    copy[key] = item !== null && typeof item !== 'boolean' && namesCredential(key) ? mask : printable(item, depth + 1);
  }
  return copy;
}

/** The message of an error with those of its causes, credentials in URLs masked. */
export function errorText(error: unknown): string {
  const parts: string[] = [];
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 5; depth++) {
    const message = at instanceof Error ? at.message || at.name : String(at);
    if (!parts.some((part) => part.includes(message))) parts.push(message);
    at = at instanceof Error ? at.cause : undefined;
  }
  return maskCredentials(parts.join(': '));
}
