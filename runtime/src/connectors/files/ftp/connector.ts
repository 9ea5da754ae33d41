import { resolve } from 'node:path';
import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import { regularFile } from '../../../foundation/disk/regular-file.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { cancelled } from '../../../platform/net/answered.ts';
import { type Session, SessionPool } from '../../../platform/net/session-pool.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { type Answers, folderRow, whole } from '../answers.ts';
import { engineSettings } from '../configuration.ts';
import { Exchanges } from '../exchanges.ts';
import { nameOf } from '../path.ts';
import { FileTarget } from '../target.ts';
import type { Access } from './access.ts';
import { FtpSession } from './ftp/session.ts';
import { FtpStore } from './ftp/store.ts';
import { firstKey, knownKeys } from './sftp/host-key.ts';
import { knownHost } from './sftp/known-hosts.ts';
import { SftpSession } from './sftp/session.ts';
import { SftpStore } from './sftp/store.ts';
import { type ftp, remoteStore } from './spec.ts';

type FtpConfig = Values<(typeof ftp)['config']>;

/** Bytes of a file of keys. */
const keyBytes = 1024 * 1024;

export const create: Factory<typeof ftp> = (name, config, services) => new FtpConnector(name, config, services);

const answers: Answers = {
  row: folderRow,
  written: ({ path, bytes }, exact) => ({ path, size: whole(bytes, exact), uploaded: true }),
  whole: ({ path, size }, content, exact) => ({
    _path: path,
    _name: nameOf(path),
    _content: content,
    _size: whole(size, exact),
  }),
  named: 'path',
};

/** A store, with the connections that it has. */
interface Opened {
  readonly store: FtpStore | SftpStore;
  readonly pool: SessionPool<Session>;
}

/** Files on a server of FTP or SFTP. */
class FtpConnector implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly #config: FtpConfig;
  readonly #services: ConnectorServices;
  readonly #exchanges: Exchanges;
  #opened: Opened | undefined;

  constructor(name: string, config: FtpConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#exchanges = new Exchanges(name);
    this.target = new FileTarget({
      connector: name,
      spec: remoteStore,
      answers,
      ...engineSettings({ ...config, format: config.format ?? 'json' }),
      readFormat: config.format ?? 'binary',
      contentField: '_content',
      timeout: undefined,
      exchanges: this.#exchanges,
      now: () => services.clock.now(),
      store: () => this.#open().store,
    });
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.#opened !== undefined) return;
    const opened = this.#config.protocol === 'sftp' ? await this.#sftp() : await this.#ftp();
    try {
      await opened.pool.use(signal, async () => undefined);
    } catch (error) {
      opened.pool.close();
      throw this.#placed(error, signal);
    }
    this.#opened = opened;
  }

  async close(cut?: AbortSignal): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    const end = () => opened?.pool.close();
    cut?.addEventListener('abort', end, { once: true });
    if (cut?.aborted) end();
    await this.#exchanges.drain(cut);
    cut?.removeEventListener('abort', end);
    end();
  }

  async check(signal: AbortSignal): Promise<void> {
    try {
      await this.#open().store.look(signal);
    } catch (error) {
      throw this.#placed(error, signal);
    }
  }

  async #ftp(): Promise<Opened> {
    const { atomic, max_connections: connections, tls: config } = this.#config;
    const tls = await readTls(config, this.#services);
    const access = { ...this.#access(21), tls };
    const pool = this.#pool((signal) => FtpSession.open(access, signal));
    return { pool: pool as SessionPool<Session>, store: new FtpStore(pool, { atomic, connections }) };
  }

  async #sftp(): Promise<Opened> {
    const { atomic, known_hosts: file, host } = this.#config;
    // A variable that is empty says that the user signs in with the other one. An empty known_hosts is an error: every host would be trusted.
    const keyFile = this.#config.key_file || undefined;
    const password = this.#config.password || undefined;
    if (keyFile === undefined && password === undefined)
      throw this.#refused('sftp needs key_file or password to sign in');
    const access = { ...this.#access(22), password };
    const hostKeys =
      file === undefined
        ? firstKey(this.#services.log)
        : knownKeys(
            knownHost(String(await this.#read('known_hosts', file)), host, access.port),
            `known_hosts "${file}"`,
          );
    const privateKey = keyFile === undefined ? undefined : await this.#privateKey(keyFile);
    const pool = this.#pool((signal) => SftpSession.open({ ...access, hostKeys, privateKey }, signal));
    return { pool: pool as SessionPool<Session>, store: new SftpStore(pool, { atomic }) };
  }

  #pool<S extends Session>(connect: (signal: AbortSignal) => Promise<S>): SessionPool<S> {
    const { max_connections: most, timeout, idle_timeout: idle } = this.#config;
    const advice = 'raise max_connections, or look for transfers that take long';
    return new SessionPool({ connector: this.name, most, timeout, idle, advice, connect });
  }

  #access(standardPort: number): Access {
    const { host, port = standardPort, username, password, base_path: basePath = '', timeout } = this.#config;
    return { connector: this.name, host, port, username, password, basePath, timeout };
  }

  async #privateKey(file: string): Promise<Buffer> {
    const key = await this.#read('key_file', file);
    const { default: ssh } = await import('ssh2');
    const parsed = ssh.utils.parseKey(key);
    if (!(parsed instanceof Error)) {
      if ((Array.isArray(parsed) ? parsed[0] : parsed)?.isPrivateKey()) return key;
      throw this.#refused(`key_file "${file}" is a public key: write the file of the private one`);
    }
    if (/passphrase|encrypted/i.test(parsed.message))
      throw this.#refused(`key_file "${file}" has a passphrase: write the file of a key without one`);
    throw this.#refused(`key_file "${file}" is not a private key`);
  }

  async #read(attribute: string, file: string): Promise<Buffer> {
    try {
      return await regularFile(resolve(this.#services.directory, file), keyBytes);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw this.#refused(`${attribute} "${file}" cannot be read: ${code ?? message}`, error);
    }
  }

  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    throw this.#refused('it is not open', undefined, true);
  }

  #refused(problem: string, cause?: unknown, retriable = false): Failure {
    const at = { connector: this.name };
    return new Failure('connector_refused', `connector "${this.name}": ${problem}`, { cause, at, retriable });
  }

  /** The reason of a signal need not be a Failure. */
  #placed(error: unknown, signal: AbortSignal): Failure {
    if (error instanceof Failure) return error.within({ connector: this.name });
    return signal.aborted ? cancelled() : asFailure(error);
  }
}
