import type { Client, ConnectConfig, PasswordAuthMethod, PublicKeyAuthMethod, SFTPWrapper, Stats } from 'ssh2';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Session } from '../../../../platform/net/session-pool.ts';
import type { Access } from '../access.ts';
import { lost } from './failure.ts';
import type { HostKeys } from './host-key.ts';

export interface SftpAccess extends Access {
  /** A private key without passphrase. */
  readonly privateKey: Buffer | undefined;
  readonly hostKeys: HostKeys;
}

/** What a request is answered with. */
type Answer<T> = (error: Error | null | undefined, value: T) => void;

/** Kinds of keys of hosts by the names of the signatures that they make (RFC 8332). */
const signatures: Readonly<Record<string, readonly string[]>> = { 'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'] };

/** SFTP 3 over a connection of its own. */
export class SftpSession implements Session {
  readonly sftp: SFTPWrapper;
  /** The folder that paths begin at, without links; without `/` at its end. */
  root = '';
  readonly #client: Client;
  readonly #timeout: number;
  readonly #waiting = new Set<(reason: unknown) => void>();
  readonly #ended = new AbortController();

  private constructor(client: Client, sftp: SFTPWrapper, timeout: number) {
    this.#client = client;
    this.sftp = sftp;
    this.#timeout = timeout;
    client.on('error', (error) => this.destroy(lost(error)));
    client.on('close', () => this.destroy(new Failure('connector_refused', 'the server ended the connection')));
    sftp.on('error', (error: Error) => this.destroy(lost(error)));
    sftp.on('close', () => this.destroy(new Failure('connector_refused', 'the server ended the session')));
  }

  /** Connects and signs in. Rejects with a Failure; when the signal fires nothing remains open. */
  static async open(access: SftpAccess, signal: AbortSignal): Promise<SftpSession> {
    const { host, port, basePath, timeout } = access;
    const client = await connected(access, signal);
    const end = () => client.destroy();
    signal.addEventListener('abort', end, { once: true });
    try {
      const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
        client.once('close', () => reject(new Error('the server ended the connection')));
        client.sftp((error, wrapper) => (error === undefined ? resolve(wrapper) : reject(error)));
      });
      const session = new SftpSession(client, sftp, timeout);
      session.root = await rootOf(session, basePath);
      signal.throwIfAborted();
      return session;
    } catch (error) {
      client.destroy();
      if (signal.aborted) throw signal.reason;
      if (error instanceof Failure) throw error;
      throw lost(error).reworded(`${host}:${port} gives no files: ${(error as Error).message}`);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  get isOpen(): boolean {
    return !this.#ended.signal.aborted;
  }

  /** Fires with the reason when the connection ends. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  destroy(reason: Failure): void {
    if (!this.isOpen) return;
    this.#ended.abort(reason);
    this.#client.destroy();
    for (const reject of [...this.#waiting]) reject(reason);
  }

  async probe(): Promise<void> {
    await this.ask<string>((answer) => this.sftp.realpath('.', answer));
  }

  /** Makes a request. Rejects with what the server says, or when it says nothing for too long: then the connection is of no use. */
  ask<T>(request: (answer: Answer<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(this.ended.reason);
      const late = () => this.destroy(new Failure('connector_timeout', `no answer within ${this.#timeout / 1000} s`));
      const timer = setTimeout(late, this.#timeout);
      const refuse = (reason: unknown) => {
        clearTimeout(timer);
        this.#waiting.delete(refuse);
        reject(reason);
      };
      this.#waiting.add(refuse);
      try {
        request((error, value) => {
          clearTimeout(timer);
          this.#waiting.delete(refuse);
          if (error === null || error === undefined) resolve(value);
          else reject(this.isOpen ? error : this.ended.reason);
        });
      } catch (error) {
        // The client throws for what the server said that it cannot do.
        refuse(error);
      }
    });
  }
}

async function connected(access: SftpAccess, signal: AbortSignal): Promise<Client> {
  const { host, port, hostKeys, username, timeout } = access;
  // Node sees few names of the library; the default export has all.
  const { default: ssh } = await import('ssh2');
  const client = new ssh.Client();
  let keyProblem: string | undefined;
  const types = hostKeys.types.flatMap((type) => signatures[type] ?? [type]) as never[];
  const config: ConnectConfig = {
    host,
    port,
    username: username ?? '',
    readyTimeout: timeout,
    ...(types.length > 0 && { algorithms: { serverHostKey: types } }),
    hostVerifier: (key: Buffer) => {
      keyProblem = hostKeys.problem(key);
      return keyProblem === undefined;
    },
    authHandler: waysToSignIn(access),
  };
  const end = () => client.destroy();
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve);
      client.on('error', reject);
      client.once('close', () => reject(new Error('the server ended the connection')));
      client.connect(config);
      // Requests are small and many: each would wait until the server has acknowledged the one before it.
      client.setNoDelay(true);
    });
    signal.throwIfAborted();
    return client;
  } catch (error) {
    client.destroy();
    throw signal.aborted ? signal.reason : opening(error, access, keyProblem);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** One after another, until the server takes one. */
function waysToSignIn({
  username = '',
  privateKey,
  password,
}: SftpAccess): (PasswordAuthMethod | PublicKeyAuthMethod)[] {
  return [
    ...(privateKey === undefined ? [] : [{ type: 'publickey' as const, username, key: privateKey }]),
    ...(password === undefined ? [] : [{ type: 'password' as const, username, password }]),
  ];
}

async function rootOf(session: SftpSession, basePath: string): Promise<string> {
  try {
    const root = await session.ask<string>((answer) => session.sftp.realpath(basePath || '.', answer));
    const stats = await session.ask<Stats>((answer) => session.sftp.stat(root, answer));
    if (root.startsWith('/') && stats.isDirectory()) return root.replace(/\/+$/, '');
  } catch (error) {
    if (error instanceof Failure) throw error;
  }
  throw new Failure('connector_refused', `base_path "${basePath}" is not a folder of the server`, { retriable: false });
}

function opening(error: unknown, { host, port, username }: SftpAccess, keyProblem: string | undefined): Failure {
  const { message, level } = error as Error & { readonly level?: string };
  const where = `${host}:${port}`;
  const refused = (says: string) =>
    new Failure('connector_refused', `${where} ${says}`, { cause: error, retriable: false });
  if (keyProblem !== undefined) return refused(`is not trusted: ${keyProblem}`);
  if (level === 'client-authentication') return refused(`does not let "${username}" sign in`);
  if (/no matching host key format/i.test(message))
    return refused('has no key of the kinds that known_hosts has of it');
  return lost(error).reworded(`${where} cannot be used: ${message}`);
}
