/** Whom requests can be sent as. Its password and its tokens stay in the host. */
export interface Identity {
  readonly id: string;
  /** The address that it signs in with; of a token any name. */
  readonly name: string;
  readonly kind: 'password' | 'token';
  /** Whether a token is there: pasted, or fetched. */
  readonly hasToken: boolean;
  /** What its token says, not verified; undefined where it is absent or cannot be read. */
  readonly token:
    | {
        readonly header: Readonly<Record<string, unknown>>;
        readonly claims: Readonly<Record<string, unknown>>;
      }
    | undefined;
}
