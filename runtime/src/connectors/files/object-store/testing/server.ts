import { createHash } from 'node:crypto';
import { Client } from 'undici';
import { smallestPart, swiftKeys } from '../../../../../../test/support/servers/swift/settings.ts';
import { fixedCredentials } from '../../../../platform/aws/credentials/credentials.ts';
import { Signer } from '../../../../platform/aws/signer.ts';
import { decodeXml } from '../../../../platform/formats/xml/decode.ts';

/** What a server of tests may not have, of what the suite asks of stores. */
export type Lack =
  | 'conditions of writes and copies'
  | 'conditions of uploads in parts'
  | 'conditions on the source of a copy'
  | 'line feeds in keys'
  | 'headers that a link asks for'
  | 'checks of signatures';

export interface TestServer {
  readonly url: URL;
  readonly access: string;
  readonly secret: string;
  /** Bytes of the smallest part of an upload in parts, its last one aside. */
  readonly smallestPart: number;
  readonly lacks: readonly Lack[];
}

/** OpenStack Swift; undefined where the environment does not name it. */
export const server = serverAt('TEST_S3_URL', {
  smallestPart,
  lacks: ['conditions of writes and copies', 'conditions of uploads in parts'],
});

/** Every object store of the tests; those that the environment does not name are undefined. */
export const servers: readonly (readonly [name: string, server: TestServer | undefined])[] = [
  ['Swift (TEST_S3_URL)', server],
  [
    'moto (TEST_MOTO_URL)',
    serverAt('TEST_MOTO_URL', {
      smallestPart: 5 * 1024 * 1024,
      lacks: [
        'conditions of uploads in parts',
        'conditions on the source of a copy',
        'line feeds in keys',
        'headers that a link asks for',
        'checks of signatures',
      ],
    }),
  ],
];

/** Other keys than those of Swift are a part of the address. */
function serverAt(variable: string, known: Pick<TestServer, 'smallestPart' | 'lacks'>): TestServer | undefined {
  const url = URL.parse(process.env[variable] ?? '');
  if (url === null) return undefined;
  const access = decodeURIComponent(url.username) || swiftKeys.access;
  const secret = decodeURIComponent(url.password) || swiftKeys.secret;
  return { url: new URL(url.origin), access, secret, ...known };
}

/** What another program is answered. */
interface Answered {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** A bucket as another program sees it that sends every path as it is. */
export class Bucket {
  readonly name: string;
  readonly server: TestServer;
  readonly #signer = new Signer(swiftKeys.region, 's3', true);
  readonly #client: Client;

  constructor(server: TestServer, name: string) {
    this.name = name;
    this.server = server;
    this.#client = new Client(server.url);
  }

  async make(): Promise<void> {
    await this.#ask('PUT', '');
  }

  async bytesOf(key: string): Promise<Buffer> {
    return (await this.#ask('GET', pathOf(key))).bytes;
  }

  async headersOf(key: string): Promise<Answered['headers']> {
    return (await this.#ask('HEAD', pathOf(key))).headers;
  }

  async put(key: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#ask('PUT', pathOf(key), body, headers);
  }

  async remove(key: string): Promise<void> {
    await this.#ask('DELETE', pathOf(key));
  }

  /** Keys that begin with a prefix, of objects and of uploads that are not completed. */
  async keys(prefix: string): Promise<readonly string[]> {
    const of = `encoding-type=url&prefix=${encodeURIComponent(prefix)}`;
    const listed = await this.#list(`list-type=2&${of}`, 'Contents');
    const begun = await this.#list(`uploads=&${of}`, 'Upload');
    return [...listed, ...begun.map((key) => `${key} (an upload)`)].sort();
  }

  async #list(query: string, element: string): Promise<readonly string[]> {
    const answer = decodeXml((await this.#ask('GET', `?${query}`)).bytes) as Record<string, unknown>;
    const found = [answer[element] ?? []].flat() as { readonly Key: string }[];
    return found.map(({ Key }) => decodeURIComponent(Key.replaceAll('+', ' ')));
  }

  async #ask(
    method: 'GET' | 'HEAD' | 'PUT' | 'DELETE',
    place: string,
    body: Buffer = Buffer.alloc(0),
    headers: Readonly<Record<string, string>> = {},
    tries = 3,
  ): Promise<Answered> {
    const { url, access, secret } = this.server;
    const path = `/${this.name}${place}`;
    const hash = createHash('sha256').update(body).digest('hex');
    const credentials = await fixedCredentials(access, secret, undefined).get(new AbortController().signal);
    const asked = { method, url: `${url.origin}${path}`, headers };
    const signed = await this.#signer.headers(asked, hash, credentials, Date.now());
    const sent = { method, path, headers: Object.fromEntries(signed), body: method === 'PUT' ? body : null };
    const answer = await this.#client.request(sent);
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode < 300) return { headers: answer.headers, bytes };
    if (answer.statusCode >= 500 && tries > 0) return this.#ask(method, place, body, headers, tries - 1);
    throw new Error(`${method} ${path}: HTTP ${answer.statusCode} ${bytes}`);
  }
}

function pathOf(key: string): string {
  const names = key
    .split('/')
    .map((name) =>
      encodeURIComponent(name).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`),
    );
  return `/${names.join('/')}`;
}
