import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { errors, ProtocolError } from './errors.ts';

/** Who may sign in, and with what. */
export interface User {
  readonly name: string;
  readonly password: string;
}

const digests = { 'SCRAM-SHA-256': 'sha256', 'SCRAM-SHA-512': 'sha512' } as const;
const iterations = 4096;

interface Challenge {
  readonly bareFirst: string;
  readonly serverFirst: string;
  readonly salted: Buffer;
}

/** The sign-in of one connection: PLAIN (RFC 4616), SCRAM (RFC 5802). */
export class SignIn {
  static readonly mechanisms = ['PLAIN', ...Object.keys(digests)];
  readonly #users: readonly User[];
  #mechanism = '';
  #challenge: Challenge | undefined;
  #isDone: boolean;

  /** Without users everybody may do everything. */
  constructor(users: readonly User[]) {
    this.#users = users;
    this.#isDone = users.length === 0;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The mechanism by which the client signs in. */
  get mechanism(): string {
    return this.#mechanism;
  }

  begin(mechanism: string): void {
    if (!SignIn.mechanisms.includes(mechanism)) throw new ProtocolError(errors.unsupportedMechanism);
    this.#mechanism = mechanism;
  }

  /** What the client gets for its bytes. */
  step(bytes: Buffer): Buffer {
    if (this.#mechanism === 'PLAIN') return this.#plain(bytes);
    return this.#challenge === undefined ? this.#first(bytes) : this.#final(bytes, this.#challenge);
  }

  #plain(bytes: Buffer): Buffer {
    const [, name, password] = bytes.toString('utf8').split('\0');
    if (this.#password(name) !== password) throw new ProtocolError(errors.saslFailed);
    this.#isDone = true;
    return Buffer.alloc(0);
  }

  #first(bytes: Buffer): Buffer {
    const text = bytes.toString('utf8');
    const name = /n=([^,]*)/.exec(text)?.[1];
    const salt = randomBytes(16);
    const nonce = `${/r=([^,]*)/.exec(text)?.[1]}${randomBytes(12).toString('hex')}`;
    const serverFirst = `r=${nonce},s=${salt.toString('base64')},i=${iterations}`;
    const password = this.#password(name) ?? randomBytes(16).toString('hex');
    const salted = pbkdf2Sync(password, salt, iterations, this.#digest === 'sha256' ? 32 : 64, this.#digest);
    this.#challenge = { bareFirst: text.slice(3), serverFirst, salted };
    return Buffer.from(serverFirst);
  }

  #final(bytes: Buffer, { bareFirst, serverFirst, salted }: Challenge): Buffer {
    const text = bytes.toString('utf8');
    const proof = Buffer.from(/,p=(.*)$/.exec(text)?.[1] ?? '', 'base64');
    const signed = `${bareFirst},${serverFirst},${text.replace(/,p=.*$/, '')}`;
    const hmac = (key: Buffer, data: string) => createHmac(this.#digest, key).update(data).digest();
    const stored = createHash(this.#digest).update(hmac(salted, 'Client Key')).digest();
    const signature = hmac(stored, signed);
    const key = Buffer.from(proof.map((byte, index) => byte ^ (signature[index] ?? 0)));
    const shown = createHash(this.#digest).update(key).digest();
    if (proof.length !== signature.length || !timingSafeEqual(shown, stored))
      throw new ProtocolError(errors.saslFailed);
    this.#isDone = true;
    return Buffer.from(`v=${hmac(hmac(salted, 'Server Key'), signed).toString('base64')}`);
  }

  get #digest(): 'sha256' | 'sha512' {
    return digests[this.#mechanism as keyof typeof digests];
  }

  #password(name: string | undefined): string | undefined {
    return this.#users.find((user) => user.name === name)?.password;
  }
}
