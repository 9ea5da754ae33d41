import { normalisedEmail } from '../accounts/email.ts';

/** Who a person is at a provider. */
export interface ProviderProfile {
  /** Who vouches for the subject. */
  readonly issuer: string;
  /** Never changes at its issuer. */
  readonly subject: string;
  /** Normalised; undefined where the provider gives none that is an address. */
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly picture: string;
  /** What the account keeps besides, when it is made. */
  readonly further: Readonly<Record<string, unknown>>;
}

/** Characters of a text that is kept. */
const longest = 512;

export type Claims = Readonly<Record<string, unknown>>;

/** A claim as text; numbers are exact. Empty where it is absent or anything else. */
export function textClaim(claims: Claims, name: string): string {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return String(value);
  return typeof value === 'string' ? value.slice(0, longest).toWellFormed() : '';
}

/** Whether a claim says yes: `true`, or the text `"true"` as some providers write it. */
export function flagClaim(claims: Claims, name: string): boolean {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  return value === true || value === 'true';
}

export function addressClaim(claims: Claims, name: string): string | undefined {
  const written = textClaim(claims, name);
  return written === '' ? undefined : normalisedEmail(written);
}

/** An address of a picture that a page can show; empty for anything else. */
export function pictureClaim(claims: Claims, name: string): string {
  const written = textClaim(claims, name);
  return URL.parse(written)?.protocol === 'https:' ? written : '';
}
