import { generateSync } from 'otplib/functional';
import { type Answered, type AuthBed, ana, goodPassword } from '../../testing/bed.ts';

/** An authenticator app, as a person has it. */
export class App {
  readonly secret: string;
  readonly #address: URL;
  readonly #clock: { now(): number };

  /** `address`: what the picture says. */
  constructor(address: string, clock: { now(): number }) {
    this.#address = new URL(address);
    this.secret = this.#said('secret');
    this.#clock = clock;
  }

  get period(): number {
    return Number(this.#said('period'));
  }

  /** The code of the present period, or of one so many before or after it. */
  code(periods = 0): string {
    return generateSync({
      secret: this.secret,
      algorithm: this.#said('algorithm').toLowerCase() as 'sha1',
      digits: Number(this.#said('digits')) as 6,
      period: this.period,
      epoch: Math.floor(this.#clock.now() / 1_000) + periods * this.period,
    });
  }

  #said(name: string): string {
    return this.#address.searchParams.get(name) as string;
  }
}

export interface Enrolled {
  readonly app: App;
  /** The access token of the session that enrolled. */
  readonly token: string;
  readonly recoveryCodes: readonly string[];
  /** The code that confirmed the enrolment. */
  readonly firstCode: string;
}

/** An account that has an authenticator app. It is registered; with `token` it is that of a session that there is. */
export async function enrolled(bed: AuthBed, email = ana, token?: string): Promise<Enrolled> {
  const signedIn = token ?? (await bed.register(email)).body.access_token;
  const { body } = await bed.ask('mfa_setup', { token: signedIn, body: { password: goodPassword } });
  const app = new App(body.provisioning_uri, bed.clock);
  const firstCode = app.code();
  const confirmed = await bed.ask('mfa_verify', { token: signedIn, body: { code: firstCode } });
  if (confirmed.status !== 200) throw new Error(`the enrolment is refused: ${JSON.stringify(confirmed.body)}`);
  return { app, token: signedIn, recoveryCodes: confirmed.body.recovery_codes ?? [], firstCode };
}

/** Time passes until the code is another one. */
export function nextCode(bed: AuthBed, app: App): string {
  bed.clock.pass(app.period * 1_000);
  return app.code();
}

/** Signs in with the password and gives the token that a factor completes. */
export async function waiting(bed: AuthBed, email = ana, agent = 'test'): Promise<string> {
  const { status, body } = await bed.login(goodPassword, { email, agent });
  if (status !== 428) throw new Error(`no factor is asked for: ${JSON.stringify(body)}`);
  return body.mfa_token;
}

/** Status and code of a refusal, or the status alone. */
export function outcome({ status, body }: Answered): string {
  return body?.error === undefined ? String(status) : `${status} ${body.error.code}`;
}
