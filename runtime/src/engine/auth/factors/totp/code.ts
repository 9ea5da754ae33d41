/** How an authenticator app makes codes (RFC 6238). It is kept with the secret: a new setting is for new enrolments. */
export interface CodeForm {
  readonly algorithm: 'SHA1' | 'SHA256' | 'SHA512';
  readonly digits: 6 | 7 | 8;
  /** Seconds that a code lasts. */
  readonly period: number;
}

/** What an account shares with its authenticator app. */
export interface SharedSecret extends CodeForm {
  /** Base32 without padding (RFC 4648, section 6), as apps read it. */
  readonly secret: string;
}

/** Bytes of a secret (RFC 4226, section 4). */
const secretLength = 20;

const kept = /^(SHA1|SHA256|SHA512):([678]):(\d{2,3}):([A-Z2-7]+)$/;

export async function newSecret(form: CodeForm): Promise<SharedSecret> {
  const { generateSecret } = await import('otplib/functional');
  return { ...form, secret: generateSecret({ length: secretLength }) };
}

/** A secret as it is sealed. */
export function writtenSecret({ algorithm, digits, period, secret }: SharedSecret): string {
  return [algorithm, digits, period, secret].join(':');
}

/** Undefined for what `writtenSecret` has not written. */
export function readSecret(text: string): SharedSecret | undefined {
  const [, algorithm, digits, period, secret] = kept.exec(text) ?? [];
  if (secret === undefined) return undefined;
  return {
    algorithm: algorithm as CodeForm['algorithm'],
    digits: Number(digits) as CodeForm['digits'],
    period: Number(period),
    secret,
  };
}

/**
 * The number of the period whose code this is, of the present one and `skew` before and after it; undefined where it is that
 * of none. `now`: milliseconds since 1970.
 */
export async function stepOf(
  code: string,
  { secret, algorithm, digits, period }: SharedSecret,
  skew: number,
  now: number,
): Promise<number | undefined> {
  if (code.length !== digits || !/^\d+$/.test(code)) return undefined;
  const { verify } = await import('otplib/functional');
  const verdict = await verify({
    secret,
    token: code,
    algorithm: algorithm.toLowerCase() as Lowercase<typeof algorithm>,
    digits,
    period,
    epoch: Math.floor(now / 1_000),
    epochTolerance: skew * period,
  });
  return verdict.valid && 'timeStep' in verdict ? verdict.timeStep : undefined;
}
