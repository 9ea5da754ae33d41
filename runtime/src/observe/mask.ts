/** What stands in place of a value that must not be read. */
export const mask = '***';

const credentialName =
  /pass(?:word|wd|phrase)|^pwd$|secret|(?:^|[_.-])tokens?$|[a-z]Token$|api[_-]?key|private[_-]?key|authorization|cookie|credential|connection[_-]?string|^dsn$/i;

/** Whether a field or header of this name holds a credential (decisions 40). */
export function namesCredential(name: string): boolean {
  return credentialName.test(name);
}

/** The text with the password of every URL in it masked. */
export function maskUrls(text: string): string {
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
      return maskUrls(value);
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
  return maskUrls(parts.join(': '));
}
