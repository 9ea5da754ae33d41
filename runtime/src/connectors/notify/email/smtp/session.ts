import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionSendInfo, SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import { refused } from '../../../../platform/net/oauth/signed-token.ts';
import type { Session } from '../../../../platform/net/session-pool.ts';
import type { TlsMaterial } from '../../../../platform/net/tls.ts';
import { smtpFailure } from './failure.ts';

/** How connections to a server are made. */
export interface ServerAccess {
  readonly host: string;
  readonly port: number;
  readonly mode: 'starttls' | 'tls' | 'none';
  readonly tls: TlsMaterial;
  readonly credentials: { readonly user: string; readonly pass: string } | undefined;
  /** Milliseconds for each step of connecting, and for each answer. */
  readonly timeout: number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** What no failure shows. */
  readonly secrets: readonly string[];
}

/** Milliseconds after which a connection is not used again. */
const oldest = 5 * 60_000;
/** Bytes of one answer of a server: the longest lists what it knows. */
const longestAnswer = 65_536;

/** One connection to a server of mail, that has signed in. It sends one letter at a time. */
export class SmtpSession implements Session {
  readonly #connection: SmtpConnection;
  readonly #access: ServerAccess;
  readonly #made: number;
  #fail: ((reason: unknown) => void) | undefined;
  #isLost = false;

  private constructor(connection: SmtpConnection, access: ServerAccess) {
    this.#connection = connection;
    this.#access = access;
    this.#made = access.elapsed();
    const lost = (error?: unknown) => {
      this.#isLost = true;
      this.#fail?.(error ?? new Error('the server ended the connection'));
    };
    connection.on('error', lost);
    connection.on('end', () => lost());
  }

  /** Connects, changes to TLS as the configuration says, and signs in; ends the attempt when the signal fires. Rejects with a Failure. */
  static async open(access: ServerAccess, signal: AbortSignal): Promise<SmtpSession> {
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    signal.throwIfAborted();
    const { host, port, mode, tls, timeout } = access;
    const servername = tls.servername ?? (isIP(host) === 0 ? host : undefined);
    const connection = new Connection({
      host,
      port,
      secure: mode === 'tls',
      requireTLS: mode === 'starttls',
      ignoreTLS: mode === 'none',
      tls: { ...tls, ...(servername !== undefined && { servername }) },
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      dnsTimeout: timeout,
      socketTimeout: timeout,
      maxResponseSize: longestAnswer,
      // A server on this machine is reached where there is no other network.
      allowInternalNetworkInterfaces: true,
    });
    const session = new SmtpSession(connection, access);
    const end = () => session.destroy(signal.reason as Failure);
    signal.addEventListener('abort', end, { once: true });
    try {
      await session.#ask<void>((done) => connection.connect((error) => done(error)));
      if (mode !== 'none' && !connection.secure) throw refused('the connection is not encrypted');
      await session.#signIn();
      return session;
    } catch (error) {
      connection.close();
      throw signal.aborted ? signal.reason : smtpFailure(error, access.secrets, false);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  get isOpen(): boolean {
    return !this.#isLost && this.#fail === undefined && this.#access.elapsed() - this.#made < oldest;
  }

  /**
   * Sends a message. Resolves with the recipients that the server took, and those that it refused. Rejects with a Failure where
   * it took it for no recipient: `outcome_unknown` where the text was begun and not answered.
   */
  async send(envelope: SMTPEnvelope, text: Buffer): Promise<SMTPConnectionSendInfo> {
    let isBegun = false;
    // The library reads it once the server has asked for the text.
    const source = Readable.from(
      (function* () {
        isBegun = true;
        yield text;
      })(),
      { objectMode: false },
    );
    try {
      return await this.#ask<SMTPConnectionSendInfo>((done) => this.#connection.send(envelope, source, done));
    } catch (error) {
      // What the server still has to say would be taken for the answer to the next letter.
      this.#isLost = true;
      this.#connection.close();
      throw smtpFailure(error, this.#access.secrets, isBegun);
    } finally {
      source.destroy();
    }
  }

  async probe(): Promise<void> {
    await this.#ask((done) => this.#connection.reset(done));
  }

  destroy(reason: Failure): void {
    const isIdle = this.#fail === undefined && !this.#isLost;
    this.#isLost = true;
    this.#fail?.(reason);
    if (isIdle) this.#connection.quit();
    // One that says goodbye does not wait for what is answered.
    this.#connection.close();
  }

  async #signIn(): Promise<void> {
    const { credentials } = this.#access;
    if (credentials === undefined) return;
    const { secure, _socket: socket } = this.#connection;
    if (!secure && !isLoopback((socket || undefined)?.remoteAddress))
      throw refused('credentials are sent over TLS alone: write tls = "starttls" or "tls"');
    if (!this.#connection.allowsAuth) throw refused('the server offers no sign-in (AUTH)');
    await this.#ask((done) => this.#connection.login({ ...credentials }, done));
  }

  /** One question at a time. Rejects as the library does, or with the reason for which the connection was ended. */
  async #ask<T>(begin: (done: (error?: Error | null, value?: T) => void) => void): Promise<T> {
    if (this.#isLost) throw new Error('the connection was lost');
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#fail = reject;
    try {
      begin((error, value) => (error ? reject(error) : resolve(value as T)));
      return await promise;
    } finally {
      this.#fail = undefined;
    }
  }
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/.test(address);
}
