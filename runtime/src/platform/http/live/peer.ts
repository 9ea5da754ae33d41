import { Fields } from '@svc/protocol/cel';
import type { Auth } from '../../../foundation/contracts/message.ts';

/** Who is at the other end of a connection that stays open, as its request says it. */
export interface Peer {
  /** Distinguishes it from the others of its connector. */
  readonly id: string;
  readonly auth: Auth;
  /** Address and port; the address alone, where a trusted proxy names it. */
  readonly remoteAddress: string;
  /** Parameters of the query string, the first value of each. */
  readonly params: Readonly<Record<string, string>>;
}

const noParams = Object.freeze(new Fields()) as Readonly<Record<string, string>>;

/** The parameters of a query string as flows and filters read them. `secret` carries a credential: nothing sees it. */
export function paramsOf(
  query: Readonly<Record<string, string | readonly string[]>>,
  secret: string | undefined,
): Peer['params'] {
  const names = Object.keys(query).filter((name) => name !== secret);
  if (names.length === 0) return noParams;
  const params = new Fields() as Record<string, string>;
  for (const name of names) {
    const value = query[name] ?? '';
    params[name] = typeof value === 'string' ? value : (value[0] ?? '');
  }
  return params;
}
