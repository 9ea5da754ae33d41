import type { KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

/** A key that signs, with the name that its tokens carry; a secret has no name. */
export interface NamedKey {
  readonly id: string | undefined;
  readonly key: KeyObject;
}

/** The keys of the tokens of one service. */
export interface TokenKeys {
  /** The key that new tokens are signed with. Rejects with `store_unavailable` where it cannot be read. */
  signing(): Promise<NamedKey>;
  /** The key that checks the tokens that carry this name; undefined where it is unknown. */
  checking(id: string | undefined): Promise<KeyObject | undefined>;
  /** The public keys of all tokens that may still be valid (RFC 7517); none of a secret. */
  published(): Promise<readonly JWK[]>;
}
