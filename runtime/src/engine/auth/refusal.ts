/** Why a request to a sign-in endpoint is refused, as its caller reads it: `{"error": {"code", "message"}}`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** A stable word. */
  readonly code: string;
  /** Milliseconds after which it may be tried again. */
  readonly retryAfter: number | undefined;
  /** What the answer says besides, beside `error`. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    message: string,
    retryAfter?: number,
    members: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
    this.members = members;
  }
}

/** A sign-in during which the password, a factor or a right of its account was changed. */
export const outdatedSignIn = () =>
  new Refusal(401, 'session_expired', 'The account was changed during this sign-in; sign in again.');
