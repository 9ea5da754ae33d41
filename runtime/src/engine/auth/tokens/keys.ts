import type { KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

/** A key that signs access tokens, with the name that its tokens carry; a secret has no name. */
export interface NamedKey {
  readonly id: string | undefined;
  readonly key: KeyObject;
}

/** What signs the tokens of a session. */
export interface SigningKeys extends NamedKey {
  /** Secret that signs refresh tokens. It follows from `key` and is never published. */
  readonly refresh: KeyObject;
}

/** What checks the tokens that one key signed. */
export interface CheckingKeys {
  readonly access: KeyObject;
  /** Undefined where only the public half of the key is known. */
  readonly refresh: KeyObject | undefined;
}

/** The keys of the tokens of one service. */
export interface TokenKeys {
  /** The key that new tokens are signed with. Rejects with `store_unavailable` where it cannot be read. */
  signing(): Promise<SigningKeys>;
  /** The keys that may have signed the tokens that carry this name; none where it is unknown. */
  checking(id: string | undefined): Promise<readonly CheckingKeys[]>;
  /** The public keys of all tokens that may still be valid (RFC 7517); none of a secret. */
  published(): Promise<readonly JWK[]>;
  /** Makes a key and signs with it from now on, unless another process has done so meanwhile. Absent: keys are configured. */
  rotate?(): Promise<void>;
}
