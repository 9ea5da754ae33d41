import type { AuthenticationRequest, Recognise, RecognisedFor, Refused } from '../../foundation/contracts/http.ts';
import type { Auth } from '../../foundation/contracts/message.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import { bySignIn, knownBy, noteFactor } from '../../platform/identity/caller.ts';
import { unauthorized } from '../../platform/identity/credential-check.ts';
import { subjectOf } from '../../platform/identity/subject.ts';
import type { ExternalProviders } from './external/providers.ts';
import { belongingOf, type SessionState, stateOf } from './sessions/facts.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { AccountStore } from './store/accounts.ts';
import type { Session } from './store/sessions.ts';
import type { Tokens } from './tokens/tokens.ts';

/** An access token whose signature was checked. */
interface CheckedToken {
  /** The header that it came in. */
  readonly header: string;
  readonly auth: Auth;
  readonly userId: string;
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  /** When the last use of the session was noted, as this process knows; milliseconds since 1970. */
  notedAt: number | undefined;
  /** When its account was looked up last, by a clock that only moves forward. */
  accountSeenAt: number;
  /** Whether its account may sign in, while that is looked up. */
  looking: Promise<boolean> | undefined;
}

/** Who carries an access token, and its session, which has not ended. */
export interface Recognised {
  readonly auth: Auth;
  readonly userId: string;
  readonly session: Session;
}

const unseen = { notedAt: undefined, accountSeenAt: Number.NEGATIVE_INFINITY, looking: undefined } as const;
/** Checked tokens that are remembered: their signatures are not checked again. */
const mostTokens = 10_000;
/** Characters at the end of a header that tokens are found by, which are of the signature: to hash all of it would take longer. */
const keyLength = 43;
/** Milliseconds for which an account is known to be there: another program may remove it, or lock it, and end no session. */
export const accountKnownFor = 30_000;

/**
 * Recognises who carries an access token, or a credential that an external provider knows. The signature of a token is
 * checked once; its time, its session and what the session may do are looked at by every request, so that what has ended
 * is refused at once. Its account is looked up again when that is some time ago.
 */
export class Recogniser {
  readonly #tokens: Tokens;
  readonly #sessions: Sessions;
  readonly #accounts: Pick<AccountStore, 'byId'>;
  readonly #clock: Clock;
  readonly #external: Pick<ExternalProviders, 'recognise'> | undefined;
  readonly #checked = new Map<string, CheckedToken>();

  /** `external` is asked about credentials that are not tokens of this service; undefined where no one is. */
  constructor(
    tokens: Tokens,
    sessions: Sessions,
    accounts: Pick<AccountStore, 'byId'>,
    clock: Clock,
    external?: Pick<ExternalProviders, 'recognise'> | undefined,
  ) {
    this.#tokens = tokens;
    this.#sessions = sessions;
    this.#accounts = accounts;
    this.#clock = clock;
    this.#external = external;
  }

  /**
   * The caller of a flow: no one without a valid token, refused while its password has expired. Where providers are asked, a
   * credential that neither they nor this service accept is refused.
   */
  readonly recognise: Recognise = ({ request }, reason = 'admission') => {
    const header = request.headers.authorization;
    if (header === undefined) return undefined;
    const checked = this.#known(header);
    if (checked === undefined)
      return this.#check(header).then((late) =>
        late === undefined ? this.#other(header, reason) : this.#recognise(late, reason),
      );
    return this.#recognise(checked, reason);
  };

  /**
   * The token of a request and its session; undefined without a valid one. Rejects with `store_unavailable` where the
   * store of sessions does not answer.
   */
  async identify({ request }: Pick<AuthenticationRequest, 'request'>): Promise<Recognised | undefined> {
    const header = request.headers.authorization;
    const checked = header === undefined ? undefined : (this.#known(header) ?? (await this.#check(header)));
    if (checked === undefined || this.#hasEnded(checked)) return undefined;
    const { auth, userId, sessionId } = checked;
    const session = await this.#sessions.use(sessionId, checked.notedAt);
    if (session === undefined || session.userId !== userId) return undefined;
    checked.notedAt = session.lastActiveAt;
    return { auth, userId, session };
  }

  /**
   * The caller whom an external provider vouches for, and who has no session here; undefined where no provider does. It is asked
   * for a credential that `identify` does not know. Rejects with `overloaded` while too many are asked about.
   */
  async vouched({ request }: Pick<AuthenticationRequest, 'request'>): Promise<Auth | Refused | undefined> {
    const header = request.headers.authorization;
    return header === undefined || this.#known(header) !== undefined ? undefined : this.#vouched(header);
  }

  /** Why a session may do little now; undefined: it may do everything. */
  stateOf(session: Session): SessionState | undefined {
    return stateOf(session, this.#clock.now());
  }

  /** The caller of a credential that is not a valid token of this service. */
  async #other(header: string, reason: RecognisedFor): Promise<Auth | Refused | undefined> {
    if (this.#external === undefined || reason === 'public') return undefined;
    return (await this.#vouched(header)) ?? this.#unaccepted(header, reason);
  }

  /** What becomes of a credential that no one accepts; a scheme other than Bearer is not looked at here. */
  #unaccepted(header: string, reason: RecognisedFor): Refused | undefined {
    if (this.#external === undefined || reason === 'public' || tokenOf(header) === undefined) return undefined;
    return unauthorized('Bearer error="invalid_token"');
  }

  /** A token that this service made is not a credential of another one, and is not shown to it. */
  async #vouched(header: string): Promise<Auth | Refused | undefined> {
    const token = this.#external && tokenOf(header);
    if (token === undefined || (await this.#tokens.isOwn(token))) return undefined;
    return this.#external?.recognise(token);
  }

  #known(header: string): CheckedToken | undefined {
    const checked = this.#checked.get(header.slice(-keyLength));
    return checked?.header === header ? checked : undefined;
  }

  async #check(header: string): Promise<CheckedToken | undefined> {
    const token = tokenOf(header);
    const claims = token === undefined ? undefined : await this.#tokens.check(token, 'access');
    if (token === undefined || claims === undefined) return undefined;
    const { userId, sessionId, exp } = claims;
    const auth = bySignIn(knownBy(subjectOf(claims.claims), token), (act) => this.#sessions.whenEnded(sessionId, act));
    const checked = { header, auth, userId, sessionId, endsAt: exp * 1000, ...unseen };
    if (this.#checked.size >= mostTokens) this.#checked.delete(this.#checked.keys().next().value as string);
    this.#checked.set(header.slice(-keyLength), checked);
    return checked;
  }

  #recognise(
    checked: CheckedToken,
    reason: RecognisedFor,
  ): Auth | Refused | undefined | Promise<Auth | Refused | undefined> {
    if (this.#hasEnded(checked)) return this.#unaccepted(checked.header, reason);
    const session =
      reason === 'watching'
        ? this.#sessions.find(checked.sessionId)
        : this.#sessions.use(checked.sessionId, checked.notedAt);
    if (session instanceof Promise || !this.#isAccountKnown(checked)) return this.#late(checked, session, reason);
    return this.#verdict(checked, session, reason);
  }

  async #late(
    checked: CheckedToken,
    asked: Session | undefined | Promise<Session | undefined>,
    reason: RecognisedFor,
  ): Promise<Auth | Refused | undefined> {
    const session = await asked;
    const isThere =
      session === undefined || this.#isAccountKnown(checked) || (await this.#hasAccount(checked, session));
    return this.#verdict(checked, isThere ? session : undefined, reason);
  }

  #isAccountKnown({ accountSeenAt }: CheckedToken): boolean {
    return this.#clock.elapsed() - accountSeenAt < accountKnownFor;
  }

  /** Whether the account of a token is there for its session; what outlived it is ended. Of many requests at once one asks. */
  #hasAccount(checked: CheckedToken, session: Session): Promise<boolean> {
    checked.looking ??= this.#lookUp(checked, session).finally(() => {
      checked.looking = undefined;
    });
    return checked.looking;
  }

  async #lookUp(checked: CheckedToken, session: Session): Promise<boolean> {
    const account = await this.#accounts.byId(checked.userId);
    if (account === undefined || account.locked) {
      await this.#sessions.store.endAll(checked.userId);
      return false;
    }
    const belonging = belongingOf(session, account, this.#clock.now());
    if (belonging === 'outdated') await this.#sessions.store.end(session.id, session.userId);
    // What is being changed is looked at again by the next request.
    if (belonging === 'belongs') checked.accountSeenAt = this.#clock.elapsed();
    return belonging !== 'outdated';
  }

  #verdict(checked: CheckedToken, session: Session | undefined, reason: RecognisedFor): Auth | Refused | undefined {
    const { auth, userId, header } = checked;
    if (session === undefined || session.userId !== userId) return this.#unaccepted(header, reason);
    checked.notedAt = session.lastActiveAt;
    const state = this.stateOf(session);
    if (state !== undefined) return { refused: refusalIn(state), headers: [] };
    noteFactor(auth, session.facts.mfaAt);
    return auth;
  }

  #hasEnded({ header, endsAt }: CheckedToken): boolean {
    if (endsAt > this.#clock.now()) return false;
    this.#checked.delete(header.slice(-keyLength));
    return true;
  }
}

function refusalIn(state: SessionState): Failure {
  if (state === 'password_expired')
    return new Failure('password_expired', 'the password has expired; change it to continue');
  return new Failure('mfa_enrolment_required', 'a second factor is required; enrol one to continue');
}

/** The token of `Authorization: Bearer <token>` (RFC 6750, section 2.1), whose scheme may be in any case (RFC 9110, 11.1). */
function tokenOf(header: string): string | undefined {
  const [, token] = /^bearer +(.*)$/is.exec(header) ?? [];
  return token === undefined || token === '' ? undefined : token;
}
