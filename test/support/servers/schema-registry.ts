import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecure, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

interface Written {
  readonly schema: string;
  readonly schemaType?: string;
  readonly references?: readonly { readonly name: string; readonly subject: string; readonly version: number }[];
}

interface Registered extends Written {
  readonly subject: string;
  readonly version: number;
  readonly id: number;
}

/** An answer: its status, and what is in it. */
type Answer = readonly [status: number, body: unknown];

const noPath: Answer = [404, '<html>404 Not Found</html>'];

export interface RegistryOptions {
  /** Who may ask; absent: everybody. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Certificate and key; absent: it speaks in clear. */
  readonly tls?: ServerOptions;
}

/**
 * Replaces a schema registry where no real one can be had: the paths of its HTTP API that clients use to read and write
 * messages. It takes every schema whose subject is not closed by `refuse`.
 */
export class RegistryStandIn {
  /** Requests that came: `GET /schemas/ids/1`. */
  readonly asked: string[] = [];
  /** What is answered instead of the work, as long as it is set. */
  instead: Answer | 'nothing' | undefined;
  /** Whether it has a path; absent: it has all of them. */
  has: ((path: string) => boolean) | undefined;
  readonly #registered: Registered[] = [];
  readonly #refused = new Map<string, string>();
  readonly #server: Server;
  readonly #options: RegistryOptions;

  private constructor(options: RegistryOptions) {
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response);
    this.#options = options;
    this.#server = options.tls === undefined ? createServer(serve) : createSecure(options.tls, serve);
  }

  static async start(options: RegistryOptions = {}): Promise<RegistryStandIn> {
    const made = new RegistryStandIn(options);
    await new Promise<void>((resolve) => made.#server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get url(): string {
    const scheme = this.#options.tls === undefined ? 'http' : 'https';
    return `${scheme}://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Adds a version to a subject, and says its id. */
  register(subject: string, written: Written): number {
    const before = this.#find(subject, written);
    if (before !== undefined) return before.id;
    const version = this.#of(subject).length + 1;
    const same = this.#registered.find(({ schema }) => schema === written.schema);
    const id = same?.id ?? this.#registered.length + 1;
    this.#registered.push({ ...written, subject, version, id });
    return id;
  }

  /** From now on new versions of a subject are refused as incompatible. */
  refuse(subject: string, reason: string): void {
    this.#refused.set(subject, reason);
  }

  /** How often a request came. */
  count(request: string): number {
    return this.asked.filter((each) => each === request).length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    this.asked.push(`${request.method} ${request.url}`);
    const lacks = this.has?.(request.url ?? '') === false;
    const answer = lacks ? noPath : (this.instead ?? this.#answer(request, Buffer.concat(parts).toString()));
    if (answer === 'nothing') return;
    const [status, body] = answer;
    response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  #answer({ method, url = '', headers }: IncomingMessage, body: string): Answer {
    const { user } = this.#options;
    const expected = user && `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`;
    if (expected !== undefined && headers.authorization !== expected)
      return [401, { error_code: 401, message: 'Unauthorized' }];
    if (url === '/schemas/types') return [200, ['JSON', 'PROTOBUF', 'AVRO']];
    const byId = /^\/schemas\/ids\/(\d+)$/.exec(url);
    if (byId !== null) {
      const found = this.#registered.find(({ id }) => id === Number(byId[1]));
      return found === undefined ? [404, { error_code: 40403, message: 'Schema not found' }] : [200, shown(found)];
    }
    const [, subject = '', versions, version] = /^\/subjects\/([^/]+)(\/versions(?:\/(\w+))?)?$/.exec(url) ?? [];
    const name = decodeURIComponent(subject);
    if (method === 'POST') return this.#posted(name, versions !== undefined, JSON.parse(body) as Written);
    const all = this.#of(name);
    const found = version === 'latest' ? all.at(-1) : all.find((each) => each.version === Number(version));
    if (all.length === 0) return [404, { error_code: 40401, message: `Subject '${name}' not found.` }];
    if (found === undefined) return [404, { error_code: 40402, message: `Version ${version} not found.` }];
    return [200, { ...shown(found), subject: name, version: found.version, id: found.id }];
  }

  #posted(subject: string, registers: boolean, written: Written): Answer {
    const found = this.#find(subject, written);
    if (found !== undefined) return [200, { id: found.id, version: found.version, subject, schema: found.schema }];
    if (!registers)
      return this.#of(subject).length === 0
        ? [404, { error_code: 40401, message: `Subject '${subject}' not found.` }]
        : [404, { error_code: 40403, message: 'Schema not found' }];
    const refused = this.#refused.get(subject);
    if (refused !== undefined) return [409, { error_code: 409, message: refused }];
    return [200, { id: this.register(subject, written) }];
  }

  #find(subject: string, { schema, schemaType = 'AVRO' }: Written): Registered | undefined {
    return this.#of(subject).find((each) => each.schema === schema && (each.schemaType ?? 'AVRO') === schemaType);
  }

  #of(subject: string): Registered[] {
    return this.#registered.filter((each) => each.subject === subject);
  }
}

/** The registry does not name the type of Avro. */
function shown({ schema, schemaType, references }: Registered) {
  return { schema, ...(schemaType !== 'AVRO' && { schemaType }), ...(references && { references }) };
}
