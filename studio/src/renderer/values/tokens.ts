import { type DecodedToken, decodeToken, endOf } from '../../shared/token.ts';
import { dots, mask } from './mask.ts';

/** Names of members that hold a credential whatever they look like. */
const credentialNames = /^(?:access|refresh|id|mfa)[_-]?token$/i;
/** Claims that are seconds since 1970 (RFC 7519, OpenID Connect Core 1.0). */
const timeClaims: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'auth_time', 'updated_at']);
/** Tokens inside of other text, cut ones too. */
const anywhere = /\beyJ[\w-]{8,}\.[\w-]*(?:\.[\w-]*)?/g;

/** The token that a value is, decoded; its members are what a tree shows below it. */
export function tokenIn(value: unknown): DecodedToken | undefined {
  return typeof value === 'string' && value.length > 20 ? decodeToken(value) : undefined;
}

/** What is shown below a token. */
export function partsOf({ header, claims }: DecodedToken): Readonly<Record<string, unknown>> {
  return { header, claims };
}

/** Whether a value stays masked until a person asks for it: every token, and what is named like one. */
export function isCredential(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || value === mask) return false;
  return credentialNames.test(name) || tokenIn(value) !== undefined;
}

/** A text with its tokens masked. */
export function withoutTokens(text: string): string {
  return text.replaceAll(anywhere, dots);
}

/** JSON text of a value with its credentials masked. */
export function maskedJson(value: unknown): string {
  const masked = (name: string, member: unknown) =>
    isCredential(name, member) ? dots : typeof member === 'string' ? withoutTokens(member) : member;
  return JSON.stringify(value, masked, 2) ?? '';
}

/** The moment that a claim means, in milliseconds since 1970; undefined for a claim that is not a time. */
export function momentOf(name: string, value: unknown): number | undefined {
  return timeClaims.has(name) ? endOf({ claims: { exp: value } }) : undefined;
}

/** `ends in 12 min`, `ended 3 min ago`, and what else says whether a token can be used now. */
export function lifeOf({ claims }: Pick<DecodedToken, 'claims'>, now: number): string {
  const begin = momentOf('nbf', claims['nbf']);
  if (begin !== undefined && begin > now) return `begins in ${span(begin - now)}`;
  const end = endOf({ claims });
  if (end === undefined) return 'says no end';
  return end > now ? `ends in ${span(end - now)}` : `ended ${span(now - end)} ago`;
}

/** `2026-11-23 16:40:00, in 12 min`: a moment in the time of this machine, and how far it is. */
export function shownMoment(moment: number, now: number): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return String(moment / 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${day} ${time}, ${moment > now ? `in ${span(moment - now)}` : `${span(now - moment)} ago`}`;
}

/** Milliseconds in the largest unit that counts two or more, or one: `45 s`, `12 min`, `3 h`, `7 d`. */
function span(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
