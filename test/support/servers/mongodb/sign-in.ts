import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Binary } from 'mongodb';
import { CommandError } from './command-error.ts';
import type { Fields } from './wire.ts';

/** A user, and the database that knows it. */
export interface User {
  readonly name: string;
  readonly password: string;
  readonly database: string;
}

const iterations = 4096;
const mechanism = 'SCRAM-SHA-256';

/** Signs in the client of one connection (SCRAM-SHA-256, RFC 7677). */
export class SignIn {
  readonly #users: readonly User[];
  #isDone: boolean;
  #begun: { readonly user: User; readonly first: string; readonly salt: Buffer } | undefined;

  /** Without users everybody may do everything. */
  constructor(users: readonly User[]) {
    this.#users = users;
    this.#isDone = users.length === 0;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  start(command: Fields, database: string): Fields {
    if (command['mechanism'] !== mechanism) throw new CommandError(334, 'MechanismUnavailable', `only ${mechanism}`);
    const bare = bytesOf(command['payload']).toString().replace(/^n,,/, '');
    const { n: name = '', r: nonce = '' } = partsOf(bare);
    const written = name.replaceAll('=2C', ',').replaceAll('=3D', '=');
    const user = this.#users.find((each) => each.name === written && each.database === database);
    if (user === undefined) throw refused();
    const salt = randomBytes(16);
    const server = `r=${nonce}${randomBytes(12).toString('base64')},s=${salt.toString('base64')},i=${iterations}`;
    this.#begun = { user, first: `${bare},${server}`, salt };
    return { conversationId: 1, done: false, payload: new Binary(Buffer.from(server)) };
  }

  continue(command: Fields): Fields {
    const begun = this.#begun;
    if (begun === undefined) throw refused();
    const [, withoutProof = '', proof = ''] = /^(.*),p=(.*)$/.exec(bytesOf(command['payload']).toString()) ?? [];
    const salted = pbkdf2Sync(begun.user.password, begun.salt, iterations, 32, 'sha256');
    const key = hmac(salted, 'Client Key');
    const message = `${begun.first},${withoutProof}`;
    const signature = hmac(createHash('sha256').update(key).digest(), message);
    const wanted = Buffer.from(key.map((byte, at) => byte ^ (signature[at] as number)));
    const given = Buffer.from(proof, 'base64');
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw refused();
    this.#isDone = true;
    const verifier = hmac(hmac(salted, 'Server Key'), message).toString('base64');
    return { conversationId: 1, done: true, payload: new Binary(Buffer.from(`v=${verifier}`)) };
  }
}

function refused(): CommandError {
  return new CommandError(18, 'AuthenticationFailed', 'Authentication failed.');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function bytesOf(payload: unknown): Buffer {
  return Buffer.from((payload as Binary).buffer);
}

/** `n=user,r=nonce` as fields. */
function partsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}
