/** What a token says (RFC 7519). Nothing of it is verified: its maker may have written anything. */
export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Characters in front of the token in its text, such as those of `Bearer `. */
  readonly start: number;
}

/** Longest text that is looked at, in characters. */
const longest = 16_384;
const shape = /^(?:Bearer +)?(?=(eyJ[\w-]{8,})\.([\w-]{2,})\.([\w-]*)$)/i;

/** Reads a text that is a signed token in compact form (RFC 7515), with `Bearer` in front or without it. */
export function decodeToken(text: string): DecodedToken | undefined {
  if (text.length > longest) return undefined;
  const found = shape.exec(text);
  const [prefix = '', head, body] = found ?? [];
  if (head === undefined || body === undefined) return undefined;
  const [header, claims] = [objectOf(head), objectOf(body)];
  if (header === undefined || claims === undefined || typeof header['alg'] !== 'string') return undefined;
  return { header, claims, start: prefix.length };
}

/** When a token ends, in milliseconds since 1970; undefined where it does not say so. */
export function endOf({ claims: { exp } }: Pick<DecodedToken, 'claims'>): number | undefined {
  return typeof exp === 'number' && Number.isFinite(exp) && Math.abs(exp) < 1e11 ? exp * 1000 : undefined;
}

function objectOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
