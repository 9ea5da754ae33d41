import type { HttpExchange } from '../../foundation/contracts/http.ts';

/** Longest query string that is repeated in links, in characters: there are up to four of them. */
const longestQuery = 2_048;
/** The last row that links name, so that numbers stay exact. */
const lastRow = Number.MAX_SAFE_INTEGER;

/**
 * The `Link` header of a page of rows (RFC 8288): `first`, `prev`, `next` and `last`, as far as they are known. Undefined
 * where the request does not ask for a page of a size. Each link is a query alone, which callers resolve against the
 * address that they asked: no header that names a host has a part in it, and a prefix that a proxy removes stays.
 * `rows` are those of this page; `total` is how many there are, where the flow says so. `secret` is a parameter that is
 * not repeated.
 */
export function pageLinks(
  { request: { url = '' }, query }: Pick<HttpExchange, 'request' | 'query'>,
  rows: number,
  total: number | undefined,
  secret: string | undefined,
): string | undefined {
  const begin = url.indexOf('?');
  const [limit, offset] = [countOf(query['limit']), countOf(query['offset'] ?? '0')];
  if (limit === undefined || limit === 0 || offset === undefined || rows > limit) return undefined;
  if (begin < 0 || url.length - begin > longestQuery || offset + limit > lastRow) return undefined;
  const words = new URLSearchParams(url.slice(begin + 1));
  if (secret !== undefined) words.delete(secret);
  const link = (relation: string, row: number): string => {
    words.set('offset', String(row));
    return `<?${words}>; rel="${relation}"`;
  };
  const links = [link('first', 0)];
  if (offset > 0) links.push(link('prev', Math.max(0, offset - limit)));
  // A page that is not full has no other behind it.
  const hasNext = total === undefined ? rows === limit : offset + rows < total && rows > 0;
  if (hasNext) links.push(link('next', offset + limit));
  const last = total === undefined ? lastSeen(rows, limit, offset) : lastOf(total, limit, offset);
  if (last !== undefined) links.push(link('last', last));
  return links.join(', ');
}

/** Where the last page begins; pages are counted from the one that was asked for. */
function lastOf(total: number, limit: number, offset: number): number {
  const shift = offset % limit;
  return total <= shift ? 0 : shift + Math.floor((total - 1 - shift) / limit) * limit;
}

/** This page is the last one where it has rows and room for more, or is the whole list. */
function lastSeen(rows: number, limit: number, offset: number): number | undefined {
  return rows < limit && (rows > 0 || offset === 0) ? offset : undefined;
}

/** How many rows there are, as the flow says in a header; undefined where it says nothing that can be read. */
export function totalOf(headers: Readonly<Record<string, string>> | undefined): number | undefined {
  const name = Object.keys(headers ?? {}).find((key) => key.toLowerCase() === 'x-total-count');
  return name === undefined ? undefined : countOf(headers?.[name]);
}

function countOf(written: unknown): number | undefined {
  return typeof written === 'string' && /^\d{1,15}$/.test(written) ? Number(written) : undefined;
}
