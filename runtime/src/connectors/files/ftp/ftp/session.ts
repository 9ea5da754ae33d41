import { PassThrough, Readable } from 'node:stream';
import type { Client } from 'basic-ftp';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Session } from '../../../../platform/net/session-pool.ts';
import type { TlsMaterial } from '../../../../platform/net/tls.ts';
import { withinTime } from '../../../../platform/net/within-time.ts';
import type { Access } from '../access.ts';
import { becameShorter } from '../transfer.ts';
import { lost, replyOf } from './failure.ts';
import { entriesIn, type Listed } from './listing.ts';
import { enterPassive } from './passive.ts';
import { passWholeLines } from './whole-lines.ts';

/** Bytes of the longest list of a folder. */
const listBytes = 16 * 1024 * 1024;
/** Bytes that wait for the reader of a file. */
const waitingBytes = 256 * 1024;

export interface FtpAccess extends Access {
  readonly tls: TlsMaterial | undefined;
}

/** What a server says that it can, of what matters here. */
export interface Features {
  /** MLSD and MLST (RFC 3659), whose lists are made for programs. */
  readonly lists: boolean;
  readonly size: boolean;
  readonly times: boolean;
}

/** A signed-in control connection (RFC 959). */
export class FtpSession implements Session {
  readonly client: Client;
  readonly features: Features;
  /** The folder that paths begin at, from the root of the server. */
  readonly root: string;
  readonly #timeout: number;
  readonly #listed: () => readonly Listed[];
  #reason: Failure | undefined;

  private constructor(
    client: Client,
    root: string,
    features: Features,
    timeout: number,
    listed: () => readonly Listed[],
  ) {
    this.client = client;
    this.#listed = listed;
    this.root = root;
    this.features = features;
    this.#timeout = timeout;
  }

  /** Connects and signs in. Rejects with a Failure; when the signal fires nothing remains open. */
  static async open(access: FtpAccess, signal: AbortSignal): Promise<FtpSession> {
    const { Client, parseList } = await import('basic-ftp');
    const client = new Client(access.timeout, { allowSeparateTransferHost: false, maxListingBytes: listBytes });
    client.prepareTransfer = enterPassive;
    passWholeLines(client.ftp);
    // The client asks for a list; what comes is read here, where names are checked and links are recognised.
    let listed: readonly Listed[] = [];
    client.parseList = (raw) => {
      listed = entriesIn(raw, parseList);
      return [];
    };
    const close = () => client.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      signal.throwIfAborted();
      await signIn(client, access);
      const found = await client.features();
      const features = { lists: found.has('MLST'), size: found.has('SIZE'), times: found.has('MDTM') };
      const root = await enterRoot(client, access);
      client.ftp.socket.setNoDelay(true);
      signal.throwIfAborted();
      return new FtpSession(client, root, features, access.timeout, () => listed);
    } catch (error) {
      client.close();
      throw signal.aborted ? signal.reason : opening(error, access, client.ftp.hasTLS);
    } finally {
      signal.removeEventListener('abort', close);
    }
  }

  get isOpen(): boolean {
    return this.#reason === undefined && !this.client.closed;
  }

  destroy(reason: Failure): void {
    this.#reason ??= reason;
    this.client.close();
  }

  async probe(): Promise<void> {
    await this.ask((client) => client.send('NOOP'));
  }

  /** Does what needs few answers, all of which must come within the timeout: otherwise the connection is of no use. */
  async ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await withinTime(this.#timeout, () => work(this.client));
    } catch (error) {
      if (error instanceof Failure) this.destroy(error);
      throw this.#reason ?? error;
    }
  }

  /** Where a path is. Throws `value_refused` for what cannot be sent. */
  at(path: string): string {
    if (/[\r\n]/.test(path)) throw new Failure('value_refused', 'a path of FTP has no line breaks');
    return path === '' ? this.root || '/' : `${this.root}/${path}`;
  }

  /** What is in a folder. Rejects with what the server answers where it is absent. */
  async list(path: string): Promise<readonly Listed[]> {
    // Servers read options and patterns in the path of a list, and answer an empty one where there is no folder.
    await this.ask((client) => client.send(`CWD ${this.at(path)}`));
    try {
      await this.client.list();
    } catch (error) {
      if (replyOf(error) === undefined) this.destroy(lost(error));
      throw this.#reason ?? error;
    }
    return this.#listed();
  }

  /** So many bytes of a file from `start` on. What is left of the file when it is ended early costs the connection. */
  async *retrieve(path: string, start: number, length: number): AsyncGenerator<Buffer, void, undefined> {
    const at = this.at(path);
    const sink = new PassThrough({ highWaterMark: waitingBytes });
    const transfer = this.client.downloadTo(sink, at, start);
    const transferred = transfer.then(
      () => undefined,
      (error: unknown) => {
        sink.destroy(error as Error);
        return error;
      },
    );
    let count = 0;
    let isWhole = false;
    try {
      for await (const piece of sink as AsyncIterable<Buffer>) {
        const wanted = piece.length > length - count ? piece.subarray(0, length - count) : piece;
        count += wanted.length;
        if (wanted.length > 0) yield wanted;
        if (wanted.length < piece.length) return;
      }
      const error = await transferred;
      if (error !== undefined) throw error;
      if (count < length) throw becameShorter(path);
      isWhole = true;
    } catch (error) {
      throw this.#reason ?? (error instanceof Failure ? error : ((await transferred) ?? error));
    } finally {
      if (!isWhole) this.destroy(new Failure('connector_refused', 'a transfer was not finished'));
      sink.destroy();
      await transferred;
    }
  }

  /** Sends the bytes of a file and answers their number. A transfer that fails costs the connection. */
  async store(path: string, source: AsyncIterable<Uint8Array>, append: boolean): Promise<number> {
    const at = this.at(path);
    let bytes = 0;
    // Who gives a piece may free its memory when the next one is asked for, while the socket still has it.
    const copied = async function* () {
      for await (const piece of source) {
        bytes += piece.byteLength;
        yield Buffer.from(piece);
      }
    };
    const stream = Readable.from(copied(), { objectMode: false, highWaterMark: waitingBytes });
    // When the connection goes before the transfer begins, no one listens yet.
    stream.on('error', () => undefined);
    try {
      await (append ? this.client.appendFrom(stream, at) : this.client.uploadFrom(stream, at));
      return bytes;
    } catch (error) {
      stream.destroy();
      const reason = this.#reason ?? error;
      this.destroy(new Failure('connector_refused', 'a transfer was not finished'));
      throw reason;
    }
  }
}

async function signIn(client: Client, { host, port, username, password, tls }: FtpAccess): Promise<void> {
  await client.access({
    host,
    port,
    ...(username !== undefined && { user: username, password: password ?? '' }),
    // The certificate must be for this name, or the one that `server_name` says.
    ...(tls !== undefined && { secure: true, secureOptions: { ...tls, host } }),
  });
}

/** Goes to the folder that paths begin at, and answers where it is, without `/` at its end. */
async function enterRoot(client: Client, { basePath }: FtpAccess): Promise<string> {
  if (basePath !== '') await client.send(`CWD ${basePath}`);
  const { message } = await client.send('PWD');
  // RFC 959, appendix II: a quote in the name is doubled.
  const [, quoted] = /^257 "((?:[^"]|"")*)"/.exec(message) ?? [];
  const root = quoted?.replaceAll('""', '"').replace(/\/+$/, '');
  if (root !== undefined && (root === '' || root.startsWith('/'))) return root;
  throw new Failure('connector_failed', 'the server does not say which folder it is in', { retriable: false });
}

function opening(error: unknown, { host, port, basePath, tls }: FtpAccess, isEncrypted: boolean): Failure {
  if (error instanceof Failure) return error;
  const { name, code, message } = error as Error & { readonly code?: unknown };
  const where = `${host}:${port}`;
  if (name !== 'FTPError') return lost(error).reworded(`${where} cannot be used: ${message}`);
  if (code === 421) return new Failure('connector_busy', `${where} takes no further connection`, { cause: error });
  if (tls !== undefined && !isEncrypted)
    return new Failure('connector_refused', `${where} cannot be used: AUTH TLS is refused (${String(code)})`, {
      cause: error,
    });
  if (code === 530 && tls === undefined && /\b(TLS|SSL|encryption)\b/i.test(message))
    return new Failure('connector_refused', `${where} takes no sign-in without TLS: write a tls block`, {
      cause: error,
      retriable: false,
    });
  if (code === 530)
    return new Failure('connector_refused', `${where} does not let the user sign in`, {
      cause: error,
      retriable: false,
    });
  if (code === 550)
    return new Failure('connector_refused', `base_path "${basePath}" does not exist at ${where}`, {
      cause: error,
      retriable: false,
    });
  return new Failure('connector_refused', `${where} cannot be used: it answers ${String(code)}`, { cause: error });
}
