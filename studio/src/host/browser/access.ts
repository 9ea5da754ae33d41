import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Who may see the studio: a browser that brought the printed token, once. It gets a cookie that scripts cannot read and
 * that other sites cannot send. Pages of other names are kept out although they may lead to this machine.
 */
export class Access {
  readonly token = secret();
  readonly #session = secret();
  readonly #port: number;
  #isSpent = false;

  constructor(port: number) {
    this.#port = port;
  }

  /** Whether the one `Host` of a request names this machine and this port. */
  isForUs({ rawHeaders }: IncomingMessage): boolean {
    const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
    return hosts.length === 1 && this.#hosts().includes((hosts[0] as string).toLowerCase());
  }

  /** Whether a request to change to WebSocket comes from a page of this server, and from nowhere else. */
  isFromUs(request: IncomingMessage): boolean {
    return this.isForUs(request) && request.headers.origin === `http://${request.headers.host?.toLowerCase()}`;
  }

  hasSession({ headers }: IncomingMessage): boolean {
    const prefix = `${this.#cookie()}=`;
    const cookies = (headers.cookie ?? '').split(';').map((each) => each.trim());
    return cookies.some((each) => each.startsWith(prefix) && isEqual(each.slice(prefix.length), this.#session));
  }

  /** The cookie for the token; undefined when it is wrong or was used before. */
  exchange(given: string): string | undefined {
    if (this.#isSpent || !isEqual(given, this.token)) return undefined;
    this.#isSpent = true;
    return `${this.#cookie()}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Cookies belong to a machine, whatever the port: several studios must not overwrite each other's. */
  #cookie(): string {
    return `svc-studio-${this.#port}`;
  }

  #hosts(): string[] {
    return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${this.#port}`);
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

function isEqual(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
