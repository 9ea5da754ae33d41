import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';

/** What an authenticator and its browser say, so that each of it can be wrong. */
export interface Answering {
  readonly origin?: string;
  readonly rpId?: string;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly backupEligible?: boolean;
  readonly backedUp?: boolean;
  readonly counter?: number;
  readonly crossOrigin?: boolean;
  readonly challenge?: string;
  readonly type?: string;
  readonly userHandle?: string;
  /** COSE algorithm that the key claims. */
  readonly algorithm?: number;
  readonly id?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** An authenticator in software (WebAuthn Level 3, sections 6.3 and 6.5) with one resident ES256 key. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(32).toString('base64url');
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  #userHandle = 'AAAA';
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** What `navigator.credentials.create` gives. */
  create(options: PublicKeyCredentialCreationOptionsJSON, said: Answering = {}): Json {
    this.#userHandle = options.user.id;
    const data = this.#authenticatorData(options.rp.id ?? '', said, true);
    const attestation = map([
      [text('fmt'), text('none')],
      [text('attStmt'), map([])],
      [text('authData'), bytes(data)],
    ]);
    return this.#credential(said, {
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, said).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** What `navigator.credentials.get` gives. */
  get(options: PublicKeyCredentialRequestOptionsJSON, said: Answering = {}): Json {
    this.counter++;
    const data = this.#authenticatorData(options.rpId ?? '', said, false);
    const client = this.#clientData('webauthn.get', options.challenge, said);
    const signed = Buffer.concat([data, sha256(client)]);
    return this.#credential(said, {
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: said.userHandle ?? this.#userHandle,
    });
  }

  #credential({ id = this.id }: Answering, response: Json): Json {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string, said: Answering): Buffer {
    const { origin = this.#origin, crossOrigin = false } = said;
    return Buffer.from(
      JSON.stringify({ type: said.type ?? type, challenge: said.challenge ?? challenge, origin, crossOrigin }),
    );
  }

  #authenticatorData(rpId: string, said: Answering, isNew: boolean): Buffer {
    const { userPresent = true, userVerified = true, backupEligible = false, backedUp = false } = said;
    const flags =
      Number(userPresent) |
      (Number(userVerified) << 2) |
      (Number(backupEligible) << 3) |
      (Number(backedUp) << 4) |
      (Number(isNew) << 6);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(said.counter ?? this.counter);
    const head = [sha256(Buffer.from(said.rpId ?? rpId)), Buffer.from([flags]), counter];
    if (!isNew) return Buffer.concat(head);
    const id = Buffer.from(said.id ?? this.id, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 255]);
    return Buffer.concat([...head, Buffer.alloc(16), length, id, coseKey(this.#keys.publicKey, said.algorithm ?? -7)]);
  }
}

/** RFC 9053, section 7.1.1. */
function coseKey(key: KeyObject, algorithm: number): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return map([
    [integer(1), integer(2)],
    [integer(3), integer(algorithm)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, 'base64url'))],
    [integer(-3), bytes(Buffer.from(y, 'base64url'))],
  ]);
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** The head of a CBOR item (RFC 8949, section 3). */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

const integer = (value: number) => (value >= 0 ? head(0, value) : head(1, -1 - value));
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
const text = (value: string) => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
const map = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);
