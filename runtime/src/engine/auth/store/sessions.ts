/** A session as it is kept. Times are milliseconds since 1970. */
export interface Session {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly userId: string;
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
  readonly createdAt: number;
  readonly lastActiveAt: number;
  /** When it ends whatever is done with it. */
  readonly expiresAt: number;
  /** `jti` of the refresh token that is valid, where refresh tokens are rotated. */
  readonly refreshId: string;
  /** Times that decide what the session may do, by name. */
  readonly facts: SessionFacts;
}

/** Milliseconds since 1970. */
export interface SessionFacts {
  /** When the password of the account expires: from then on the session may do little more than change it. */
  readonly passwordExpiresAt?: number;
  /** From when on the session may do little more than enrol a factor. */
  readonly enrolBy?: number;
  /** When a factor was proved last. */
  readonly mfaAt?: number;
  /** When its account was made; absent in what an older version wrote. */
  readonly accountAt?: number;
  /** When the password of its account was set, as far as that is kept. */
  readonly passwordAt?: number;
}

/** How long a session lasts, in milliseconds. */
export interface SessionLife {
  /** From its beginning. */
  readonly absolute: number;
  /** From its last use where `extends`, else from its beginning. */
  readonly idle: number;
  readonly extends: boolean;
}

/** What becomes of a sign-in beyond the most sessions of a person. */
export interface SessionLimit {
  readonly most: number;
  readonly whenFull: 'revoke_oldest' | 'reject_new';
}

/** What became of a spent refresh token. */
export type Rotation =
  /** The new one is the valid one now. */
  | 'rotated'
  /**
   * It was the one before, within the leeway, and by the client that spent it: nothing changes, and the one that replaced
   * it stays valid. Two tabs of a browser get the same token then, and neither ends the session of the other.
   */
  | 'forgiven'
  /** It is not the valid one, so that it was used before by another client: the session has ended with this step. */
  | 'reused'
  /** The session has ended. */
  | 'ended';

export interface RotationRequest {
  /** `jti` that was presented. */
  readonly from: string;
  /** `jti` that replaces it. */
  readonly to: string;
  /** Digest of the client, for the leeway. */
  readonly client: string;
  /** Milliseconds. */
  readonly leeway: number;
  readonly at: number;
}

/** What became of a session that was to begin. */
export type Beginning =
  /** It has begun; `ended`: the sessions of its person that ended for it. */
  | { readonly ended: readonly string[] }
  /** Its person has too many. */
  | 'full'
  /** All sessions of its person were ended after its credentials were read. */
  | 'outdated';

/**
 * Sessions. A session that has ended is never given out, whatever clocks do: time runs by the clock of the store. Each
 * method is one atomic step and one round trip. Rejects with `store_unavailable` when the store is unavailable.
 */
export interface SessionStore {
  /**
   * The generation of the credentials of a person, which `endAll` replaces. The sign-in of a person reads it before the
   * credentials, and begins the session with it: a session never outlives what ended those before it.
   */
  generation(userId: string): Promise<string>;
  /** Keeps a session, and ends the oldest ones of its person where there are too many. */
  begin(session: Session, life: SessionLife, limit: SessionLimit, generation: string): Promise<Beginning>;
  /** A session, undefined when it has ended. In memory without a promise: it is asked by every request. */
  find(id: string): Session | undefined | Promise<Session | undefined>;
  /**
   * A session that is used at `at`, undefined when it has ended. The use is noted, so that its idle time begins again where
   * it does, unless one was noted less than `unnoticed` milliseconds away from it.
   */
  use(id: string, at: number, unnoticed: number): Session | undefined | Promise<Session | undefined>;
  rotate(id: string, request: RotationRequest): Promise<Rotation>;
  /** Replaces the facts of a session; false when it has ended. */
  setFacts(id: string, facts: SessionFacts): Promise<boolean>;
  /** The sessions of a person, the oldest first. */
  of(userId: string): Promise<readonly Session[]>;
  /** Ends a session of this person; false when it does not exist. */
  end(id: string, userId: string): Promise<boolean>;
  /** Ends the sessions of a person but one, and those that are about to begin; gives those that it ended. */
  endAll(userId: string, except?: string): Promise<readonly string[]>;
  /** Notes something presented, for `ttl` milliseconds; false when it was noted already. One atomic step. */
  firstUse(key: string, ttl: number): Promise<boolean>;
}
