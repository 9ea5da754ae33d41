import type { CDPSession } from 'playwright-core';

/** What Chromium has in place of a finger and a security chip: it answers for a person who is present. */
export class Authenticator {
  readonly #session: CDPSession;
  readonly #id: string;

  private constructor(session: CDPSession, id: string) {
    this.#session = session;
    this.#id = id;
  }

  /** One of this device: it keeps passkeys itself, and verifies its user. It belongs to the page, whatever that shows. */
  static async ofDevice(session: CDPSession): Promise<Authenticator> {
    await session.send('WebAuthn.enable');
    return Authenticator.#added(session, 'internal', true);
  }

  /** A key that is plugged in: it keeps nothing, and knows that it is touched, not by whom. */
  static key(session: CDPSession): Promise<Authenticator> {
    return Authenticator.#added(session, 'usb', false);
  }

  static async #added(session: CDPSession, transport: 'internal' | 'usb', knowsUser: boolean): Promise<Authenticator> {
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport,
        hasResidentKey: knowsUser,
        hasUserVerification: knowsUser,
        isUserVerified: knowsUser,
        automaticPresenceSimulation: true,
      },
    });
    return new Authenticator(session, authenticatorId);
  }

  /** Whether a person touches it when it is asked. */
  async isTouched(enabled: boolean): Promise<void> {
    await this.#session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.#id, enabled });
  }

  /** What it keeps, with the private keys. */
  async credentials() {
    const { credentials } = await this.#session.send('WebAuthn.getCredentials', { authenticatorId: this.#id });
    return credentials;
  }

  /** Has a copy of its only credential in place of it, whose counter is this one. */
  async setCounter(signCount: number): Promise<void> {
    const authenticatorId = this.#id;
    const [own] = await this.credentials();
    if (own === undefined) throw new Error('the authenticator keeps no passkey');
    await this.#session.send('WebAuthn.removeCredential', { authenticatorId, credentialId: own.credentialId });
    await this.#session.send('WebAuthn.addCredential', { authenticatorId, credential: { ...own, signCount } });
  }
}
