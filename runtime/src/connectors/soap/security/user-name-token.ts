import { timingSafeEqual } from 'node:crypto';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { digestOf } from '../../../platform/identity/constant-time.ts';
import { subject } from '../../../platform/identity/subject.ts';
import { FaultFailure } from '../envelope/fault-failure.ts';
import type { HeaderBlock } from '../envelope/reader.ts';
import { passwordDigestOf } from './digest.ts';
import { ofSecurity, passwordDigest, passwordText } from './namespaces.ts';
import { UsedNonces } from './nonces.ts';

/** How a server asks for user name tokens; times in milliseconds. */
export interface TokenSettings {
  readonly users: Readonly<Record<string, string>>;
  readonly passwords: 'any' | 'digest' | 'text';
  readonly max_age: number;
  readonly max_nonces: number;
}

const longestNonce = 1_024;
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Checks the user name token of a request (WS-Security user name token profile 1.0): its password as text or as a digest,
 * that it was made a short time ago, and that its nonce was never used. A digest needs both nonce and time of creation; a
 * password as text is checked for what its token has of them.
 */
export class TokenCheck {
  readonly #settings: TokenSettings;
  readonly #clock: Clock;
  readonly #nonces: UsedNonces;

  constructor(settings: TokenSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#nonces = new UsedNonces(clock, 2 * settings.max_age, settings.max_nonces);
  }

  /** Who calls. Throws a FaultFailure that does not say what was wrong with the token. */
  check(headers: readonly HeaderBlock[]): Auth {
    const blocks = headers.filter(isSecurity);
    const token = blocks.length === 1 ? mapOf(mapOf(blocks[0]?.value)['UsernameToken']) : {};
    const name = plain(token['Username']);
    if (name === undefined) throw refused('InvalidSecurity', 'a user name token is required');
    const { value: sent, type } = passwordOf(token['Password']);
    const nonce = plain(token['Nonce']);
    const created = plain(token['Created']);
    const expected = Object.hasOwn(this.#settings.users, name) ? this.#settings.users[name] : undefined;
    const isSame = this.#isSame(sent, type, nonce, created, expected ?? '');
    if (!isSame || expected === undefined || !this.#isNew(name, nonce, created))
      throw refused('FailedAuthentication', 'the user name token is not accepted');
    return subject(name, {});
  }

  #isSame(
    sent: string,
    type: string,
    nonce: string | undefined,
    created: string | undefined,
    password: string,
  ): boolean {
    const { passwords } = this.#settings;
    const isDigest = type === passwordDigest;
    if (!isDigest && type !== passwordText) return false;
    if (passwords !== 'any' && isDigest !== (passwords === 'digest')) return false;
    if (isDigest && (nonce === undefined || created === undefined)) return false;
    if ((nonce?.length ?? 0) > longestNonce || (created?.length ?? 0) > 64) return false;
    const due = isDigest ? passwordDigestOf(Buffer.from(nonce ?? '', 'base64'), created ?? '', password) : password;
    return timingSafeEqual(digestOf(sent), digestOf(due));
  }

  /** Whether a token with a right password was made a short time ago and is used for the first time. */
  #isNew(name: string, nonce: string | undefined, created: string | undefined): boolean {
    const now = this.#clock.now();
    if (created !== undefined) {
      const at = timeForm.test(created.trim()) ? Date.parse(created.trim()) : Number.NaN;
      if (!(Math.abs(now - at) <= this.#settings.max_age)) return false;
      // Spellings of one nonce are one nonce.
      return nonce === undefined || this.#nonces.take(name, Buffer.from(nonce, 'base64').toString('base64'), at);
    }
    return nonce === undefined || this.#nonces.take(name, Buffer.from(nonce, 'base64').toString('base64'), now);
  }
}

/** Whether a block of a header is what a TokenCheck reads. */
export function isSecurity({ namespace, local }: HeaderBlock): boolean {
  return namespace === ofSecurity && local === 'Security';
}

function refused(local: string, text: string): FaultFailure {
  return new FaultFailure('Client', text, 'authentication_required', { prefix: 'wsse', namespace: ofSecurity, local });
}

function passwordOf(written: unknown): { readonly value: string; readonly type: string } {
  if (typeof written === 'string') return { value: written, type: passwordText };
  const { '@Type': type = passwordText } = mapOf(written);
  return { value: plain(written) ?? '', type: typeof type === 'string' ? type : '' };
}

/** The text of an element; undefined where it is empty, or comes twice. */
function plain(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : mapOf(value)['#text'];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
