import type { Challenge, SignIn, Tokens } from './sign-in.ts';
import type { Credentials } from './vault.ts';

/** An access token is replaced so many milliseconds before it ends, and no earlier than in its last tenth. */
const ahead = 30_000;

/** What is sent for an identity, or what it has to do first. */
export type Proof = { readonly token: string; readonly isNew: boolean } | { readonly challenge: Challenge };

interface Held extends Tokens {
  /** On the clock of `elapsed`; undefined: it is not known. */
  readonly replaceAt: number | undefined;
}

/**
 * The tokens of one identity, in memory alone: fetched when they are needed, refreshed before they end. Those who need
 * them at the same time wait for one sign-in.
 */
export class IdentitySession {
  readonly #credentials: Credentials;
  readonly #elapsed: () => number;
  #held: Held | undefined;
  #challenge: { readonly challenge: Challenge; readonly signIn: SignIn } | undefined;
  #underWay: Promise<Proof> | undefined;

  /** `elapsed` gives milliseconds of a clock that no one sets. */
  constructor(credentials: Credentials, elapsed: () => number) {
    this.#credentials = credentials;
    this.#elapsed = elapsed;
  }

  /** The token that would be sent now. */
  get token(): string | undefined {
    return this.#credentials.token ?? this.#held?.access;
  }

  /** Rejects when the service refuses the identity. */
  proof(signIn: SignIn): Promise<Proof> {
    const { token } = this.#credentials;
    if (token !== undefined) return Promise.resolve({ token, isNew: false });
    const held = this.#held;
    if (held !== undefined && (held.replaceAt === undefined || this.#elapsed() < held.replaceAt))
      return Promise.resolve({ token: held.access, isNew: false });
    return this.#fetch(signIn);
  }

  /** For a token that the service did not take; undefined where there is nothing to make another of. */
  renewed(refused: string, signIn: SignIn): Promise<Proof> | undefined {
    if (this.#credentials.password === undefined) return undefined;
    // Another request may have fetched the next one meanwhile.
    if (this.#held?.access === refused) this.#held = { ...this.#held, replaceAt: 0 };
    return this.proof(signIn);
  }

  /** Completes the sign-in that waits for a second factor. Rejects when the service refuses the code. */
  async prove(code: string): Promise<void> {
    if (this.#challenge === undefined) throw new Error('no sign-in waits for a second factor; send the request again');
    const { challenge, signIn } = this.#challenge;
    this.#keep(await signIn.prove(challenge, code));
    this.#challenge = undefined;
  }

  #fetch(signIn: SignIn): Promise<Proof> {
    this.#underWay ??= this.#sign(signIn).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #sign(signIn: SignIn): Promise<Proof> {
    const refresh = this.#held?.refresh;
    const refreshed = refresh === undefined ? undefined : await signIn.refresh(refresh);
    this.#held = undefined;
    const { name, password = '' } = this.#credentials;
    const outcome = refreshed ?? (await signIn.login(name, password));
    if ('methods' in outcome) {
      this.#challenge = { challenge: outcome, signIn };
      return { challenge: outcome };
    }
    return { token: this.#keep(outcome), isNew: true };
  }

  #keep(tokens: Tokens): string {
    const lifetime = tokens.seconds === undefined ? undefined : tokens.seconds * 1000;
    const replaceAt = lifetime === undefined ? undefined : this.#elapsed() + lifetime - Math.min(ahead, lifetime / 10);
    this.#held = { ...tokens, replaceAt };
    return tokens.access;
  }
}
