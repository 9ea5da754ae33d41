import { AwsClient } from 'aws4fetch';
import { swiftKeys } from '../../../../../../test/support/servers/swift/settings.ts';
import { decodeXml } from '../../../../formats/xml/decode.ts';

/** The object store of the tests; other keys than its own are a part of its address. Undefined skips the tests. */
const written = process.env['TEST_S3_URL'];

export const server = written === undefined ? undefined : serverAt(new URL(written));

export interface TestServer {
  readonly url: URL;
  readonly access: string;
  readonly secret: string;
}

function serverAt(url: URL): TestServer {
  const access = decodeURIComponent(url.username) || swiftKeys.access;
  const secret = decodeURIComponent(url.password) || swiftKeys.secret;
  return { url: new URL(url.origin), access, secret };
}

/** A bucket as another program sees it. */
export class Bucket {
  readonly name: string;
  readonly #base: string;
  readonly #client: AwsClient;

  constructor({ url, access, secret }: TestServer, name: string) {
    this.name = name;
    this.#base = `${url.origin}/${name}`;
    const keys = { accessKeyId: access, secretAccessKey: secret };
    this.#client = new AwsClient({ ...keys, service: 's3', region: swiftKeys.region, retries: 3 });
  }

  async make(): Promise<void> {
    await this.#ask('PUT', '');
  }

  async bytesOf(key: string): Promise<Buffer> {
    return Buffer.from(await (await this.#ask('GET', pathOf(key))).arrayBuffer());
  }

  async headersOf(key: string): Promise<Headers> {
    return (await this.#ask('HEAD', pathOf(key))).headers;
  }

  async put(key: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#ask('PUT', pathOf(key), { body: Uint8Array.from(body), headers });
  }

  async remove(key: string): Promise<void> {
    await this.#ask('DELETE', pathOf(key));
  }

  /** Keys that begin with a prefix, of objects and of uploads that are not completed. */
  async keys(prefix: string): Promise<readonly string[]> {
    const listed = await this.#list(`list-type=2&prefix=${encodeURIComponent(prefix)}`, 'Contents');
    const begun = await this.#list(`uploads=&prefix=${encodeURIComponent(prefix)}`, 'Upload');
    return [...listed, ...begun.map((key) => `${key} (an upload)`)].sort();
  }

  async #list(query: string, element: string): Promise<readonly string[]> {
    const answer = decodeXml(await (await this.#ask('GET', `?${query}`)).bytes()) as Record<string, unknown>;
    const found = [answer[element] ?? []].flat() as { readonly Key: string }[];
    return found.map(({ Key }) => Key);
  }

  async #ask(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await this.#client.fetch(this.#base + path, { method, ...init });
    if (answer.ok) return answer;
    throw new Error(`${method} ${path}: HTTP ${answer.status} ${await answer.text()}`);
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
