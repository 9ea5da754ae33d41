import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { privateKey, refused, writtenText } from '../../../../platform/net/oauth/signed-token.ts';
import { SessionPool } from '../../../../platform/net/session-pool.ts';
import { defaultTls, readTls } from '../../../../platform/net/tls.ts';
import type { Channel, Limits, Sent } from '../../channel.ts';
import type { Message } from '../../message.ts';
import type { Provider } from '../../notifier.ts';
import { shownOf } from '../letter.ts';
import { LetterWriter } from '../writer.ts';
import { type ComposedMessage, compose, type LetterSigner, loadComposer } from './compose.ts';
import { deliver, within } from './delivery.ts';
import { smtpFailure } from './failure.ts';
import { smtpFields } from './message.ts';
import { type ServerAccess, SmtpSession } from './session.ts';
import type { smtp } from './spec.ts';

type Config = Values<(typeof smtp)['config']>;
type SmtpMessage = Message<typeof smtpFields>;
type Fields = Readonly<Record<string, unknown>>;

/** Milliseconds after which a connection that is not used is closed: servers close it themselves soon after. */
const idle = 60_000;

/** Letters over connections to one server, which are kept. */
export class SmtpChannel implements Channel<typeof smtpFields>, Provider {
  readonly fields = smtpFields;
  readonly provider = 'smtp';
  readonly #name: string;
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #writer: LetterWriter;
  #pool: SessionPool<SmtpSession> | undefined;
  #signer: LetterSigner | undefined;

  constructor(name: string, config: Config, services: ConnectorServices) {
    this.#name = name;
    this.#config = config;
    this.#services = services;
    this.#writer = new LetterWriter(config, services);
  }

  /** Reads key, certificates and template, and makes one connection, which is kept. */
  async open(signal: AbortSignal): Promise<void> {
    const { host, username, password, pool_size: most, timeout } = this.#config;
    if (host === '') throw refused('host is empty');
    // Variables that are not set arrive as empty texts.
    if (!username !== !password) throw refused(`${username ? 'password' : 'username'} is empty`);
    await this.#writer.open();
    this.#signer = await this.#signerOf();
    // The first letter does not wait for the library.
    await loadComposer();
    const access = await this.#access();
    const pool = new SessionPool<SmtpSession>({
      connector: this.#name,
      most,
      timeout,
      idle,
      advice: 'raise pool_size, or look for letters that take long',
      connect: (late) => SmtpSession.open(access, late),
    });
    try {
      (await pool.take(signal)).giveBack();
    } catch (error) {
      pool.close();
      throw error;
    }
    this.#pool = pool;
  }

  async send(message: SmtpMessage, limits: Limits, given: Fields): Promise<Sent> {
    const [letter, left] = await this.#writer.within(message, limits, given);
    const composed = await compose(letter, { clock: this.#services.clock, signer: this.#signer });
    const { to, cc, bcc, from } = letter;
    const recipients = [...to, ...cc, ...bcc].map(({ email }) => email);
    const { capture } = this.#services;
    if (capture !== undefined) {
      const { provider } = this;
      const shown = shownOf(composed);
      await capture.keep({ provider, medium: 'mail', place: limits.place, shown, mail: composed.raw });
      return { message_id: composed.messageId, recipients: recipients.map((email) => ({ email, success: true })) };
    }
    const secrets = this.#secrets();
    const envelope = { from: from.email, recipients, text: composed.raw };
    const delivered = await within(left.timeout, left.signal, (signal) =>
      deliver(envelope, this.#open(), signal, secrets),
    );
    return { message_id: composed.messageId, ...delivered };
  }

  /** The letter of a message as it would be sent. The connector need not be open. */
  async compose(message: SmtpMessage, given: Fields, signal: AbortSignal): Promise<ComposedMessage> {
    const letter = await this.#writer.write(message, given, signal);
    return compose(letter, { clock: this.#services.clock, signer: this.#signer ?? (await this.#signerOf()) });
  }

  /** Asks the server whether it is there, over what letters use. */
  async ask(_origin: string, _timeout: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#open().use(signal, (session) => session.probe());
    } catch (error) {
      // Letters that are under way show that it is there.
      if (!(error instanceof Failure) || error.code !== 'connector_busy')
        throw smtpFailure(error, this.#secrets(), false);
    }
  }

  async close(): Promise<void> {
    this.#pool?.close();
  }

  #open(): SessionPool<SmtpSession> {
    if (this.#pool !== undefined) return this.#pool;
    throw new Failure('connector_refused', `connector "${this.#name}" is not open`);
  }

  async #access(): Promise<ServerAccess> {
    const { host, tls, timeout, username: user, password: pass } = this.#config;
    const mode = tls?.mode ?? 'starttls';
    const port = this.#config.port ?? (mode === 'tls' ? 465 : 587);
    const material =
      tls === undefined ? undefined : await readTls({ ...tls, enabled: mode !== 'none' }, this.#services);
    return {
      host,
      port,
      mode,
      tls: material ?? defaultTls,
      credentials: user && pass ? { user, pass } : undefined,
      timeout,
      elapsed: () => this.#services.clock.elapsed(),
      secrets: this.#secrets(),
    };
  }

  /** In every spelling in which a server may repeat them. */
  #secrets(): readonly string[] {
    const { username = '', password } = this.#config;
    if (!password) return [];
    const encoded = [`\0${username}\0${password}`, password].map((text) => Buffer.from(text).toString('base64'));
    return [...encoded, ...encoded.map((text) => text.replace(/=+$/, '')), password];
  }

  async #signerOf(): Promise<LetterSigner | undefined> {
    const { dkim } = this.#config;
    if (dkim === undefined) return undefined;
    const { domain, selector, private_key: written } = dkim;
    const isText = written.includes('-----BEGIN');
    const pem = await writtenText(written, 'private_key of dkim', isText, this.#services.directory);
    privateKey(pem, 'private_key of dkim', 'rsa');
    return { domain, selector, privateKey: pem };
  }
}
