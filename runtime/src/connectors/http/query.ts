type Data = Readonly<Record<string, unknown>>;

/**
 * Appends data to a path as a query string: sorted by name so that equal data gives an equal URL, scalars as
 * themselves, structured values as JSON, nulls left out.
 */
export function withQuery(path: string, data: Data | undefined, json: (value: unknown) => string): string {
  if (data === undefined) return path;
  const names = Object.keys(data);
  if (names.length === 0) return path;
  let query = '';
  for (const name of names.sort()) {
    const value = data[name];
    if (value === undefined || value === null) continue;
    query += `${query === '' ? '' : '&'}${encode(name)}=${encode(asText(value, json))}`;
  }
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** A value whose JSON form is a text (a time) goes without its quotes. */
function asText(value: unknown, json: (value: unknown) => string): string {
  if (typeof value !== 'object') return String(value);
  const text = json(value);
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
