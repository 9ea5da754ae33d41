/** Claims of a person, from an id_token or a profile. Integers beyond 2^53-1 are bigint. */
export type Claims = Readonly<Record<string, unknown>>;

/** Who a person is at a provider. */
export interface ProviderProfile {
  /** Who vouches for the subject. */
  readonly issuer: string;
  /** Never changes at its issuer. Empty where the provider names none. */
  readonly subject: string;
  /** As the provider writes it; empty where it gives none. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly picture: string;
  /** What the provider says, all of it. */
  readonly claims: Claims;
}

/** Characters of a text that is kept. */
const longest = 512;

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

/** An address of a picture that a page can show; empty for anything else. */
export function pictureClaim(claims: Claims, name: string): string {
  const written = textClaim(claims, name);
  return URL.parse(written)?.protocol === 'https:' ? written : '';
}
