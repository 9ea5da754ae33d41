/**
 * What flows name a pattern of NestJS by: a text by itself, `{"cmd": "word"}` by its word, any other object by its JSON
 * with sorted keys, as NestJS compares patterns. Undefined for anything else.
 */
export function patternName(pattern: unknown): string | undefined {
  if (typeof pattern === 'string') return pattern === '' ? undefined : pattern;
  if (typeof pattern === 'number') return String(pattern);
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern)) return undefined;
  const { cmd, ...others } = pattern as Readonly<Record<string, unknown>>;
  if (typeof cmd === 'string' && cmd !== '' && Object.keys(others).length === 0) return cmd;
  return JSON.stringify(sorted(pattern));
}

/** A pattern as it is sent: an operation that is the JSON of an object is that object. */
export function patternOf(operation: string): unknown {
  if (!operation.startsWith('{')) return operation;
  try {
    return sorted(JSON.parse(operation));
  } catch {
    return operation;
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
