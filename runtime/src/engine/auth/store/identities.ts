/** An account at an identity provider that signs in to an account here. Times are milliseconds since 1970. */
export interface LinkedIdentity {
  /** The name of the provider in the configuration: `web_idp`, or that of an `oidc` block. */
  readonly provider: string;
  /** Who vouches for the subject: the issuer of OpenID Connect, else the origin of the provider. */
  readonly issuer: string;
  /** Never changes at its issuer. */
  readonly subject: string;
  /** As the provider says; empty where it says none. */
  readonly email: string;
  readonly name: string;
  readonly picture: string;
  readonly linkedAt: number;
  readonly updatedAt: number;
}

/**
 * Identities that are linked to accounts, kept where the accounts are. One identity, by issuer and subject, belongs to one
 * account at most. Each method is atomic. Rejects with `store_unavailable` when the store is unavailable.
 */
export interface IdentityStore {
  find(
    issuer: string,
    subject: string,
  ): Promise<{ readonly accountId: string; readonly identity: LinkedIdentity } | undefined>;
  /** The identities of an account, the oldest link first. */
  of(accountId: string): Promise<readonly LinkedIdentity[]>;
  /** False where the identity belongs to an account, this one or another. */
  link(accountId: string, identity: LinkedIdentity): Promise<boolean>;
  /** Replaces what the provider says of it; its link stays. False where it is not linked. */
  update(
    issuer: string,
    subject: string,
    said: Pick<LinkedIdentity, 'email' | 'name' | 'picture' | 'updatedAt'>,
  ): Promise<boolean>;
  /** Ends the link of one identity to this account. False where it is not linked to it. */
  remove(accountId: string, identity: Pick<LinkedIdentity, 'issuer' | 'subject'>): Promise<boolean>;
  /** Ends the links of an account to a provider, but not the last identity where `keepsOne`. How many it ended. */
  unlink(accountId: string, provider: string, keepsOne: boolean): Promise<number>;
}
