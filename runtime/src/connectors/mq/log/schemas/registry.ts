import { Failure } from '../../../../foundation/errors/failure.ts';
import { documentLimit, HttpClient, HttpFailure } from '../../../../platform/net/request.ts';
import type { TlsMaterial } from '../../../../platform/net/tls.ts';
import type { ReferredSchema, SchemaType, WrittenSchema } from './format.ts';

export interface RegistryOptions {
  readonly url: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: TlsMaterial | undefined;
  /** Milliseconds for one answer. */
  readonly timeout: number;
}

/** A schema as the registry has it. */
export interface RegisteredSchema extends WrittenSchema {
  readonly id: number;
}

interface Reference {
  readonly name?: unknown;
  readonly subject?: unknown;
  readonly version?: unknown;
}

interface Answer {
  readonly id?: unknown;
  readonly schema?: unknown;
  readonly schemaType?: unknown;
  readonly references?: unknown;
  readonly error_code?: unknown;
  readonly message?: unknown;
}

const mediaType = 'application/vnd.schemaregistry.v1+json';
/** Schemas that one schema may need, with those that they need. */
const mostReferred = 100;
const types: readonly SchemaType[] = ['AVRO', 'JSON', 'PROTOBUF'];
/** What is answered for a path, or a part of one, that there is not. */
const withoutPath = [404, 405, 410, 501];
/** The registry says so of a schema that contradicts earlier versions. */
const incompatible = 409;

/** Asks a schema registry. What it cannot answer now is retriable; what it does not have, or refuses, is not. */
export class SchemaRegistry {
  readonly #options: RegistryOptions;
  readonly #client: HttpClient;
  readonly #origin: string;
  readonly #base: string;
  readonly #headers: readonly string[];

  constructor(options: RegistryOptions) {
    const { url, username, password, tls } = options;
    const { origin, pathname } = new URL(url);
    this.#options = options;
    this.#client = new HttpClient({ maxResponse: documentLimit, connections: 8, tls });
    this.#origin = origin;
    this.#base = pathname.replace(/\/+$/, '');
    const credentials =
      username === undefined
        ? []
        : ['authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`];
    this.#headers = ['accept', `${mediaType}, application/json`, ...credentials];
  }

  /**
   * Rejects when the registry cannot be asked. False where it has not the path that it is asked for, which nothing else
   * needs: not every registry has all of them.
   */
  async check(): Promise<boolean> {
    try {
      await this.#ask('GET', '/schemas/types');
      return true;
    } catch (error) {
      if (error instanceof Missing) return false;
      throw error;
    }
  }

  async byId(id: number): Promise<RegisteredSchema> {
    return this.#registered(await this.#ask('GET', `/schemas/ids/${id}`), id);
  }

  /** A version of a subject; undefined: the latest one. */
  async version(subject: string, version: number | undefined): Promise<RegisteredSchema> {
    return this.#registered(await this.#ask('GET', versionPath(subject, version ?? 'latest')));
  }

  /** The id of a schema under a subject; `registers` adds it where it is not there. */
  async idOf(subject: string, { type, text }: WrittenSchema, registers: boolean): Promise<number> {
    const path = `${subjectPath(subject)}${registers ? '/versions' : ''}`;
    const { id } = await this.#ask('POST', path, { schema: text, schemaType: type });
    return wholeId(id);
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#client.close(cut);
  }

  async #registered(answer: Answer, known?: number): Promise<RegisteredSchema> {
    const { schema, schemaType = 'AVRO', references, id = known } = answer;
    const type = types.find((each) => each === schemaType);
    if (type === undefined) throw broken(`schemas of type ${JSON.stringify(schemaType)} are not known`);
    if (typeof schema !== 'string') throw broken('an answer has no schema');
    const referred = new Map<string, ReferredSchema>();
    await this.#refer(references, referred, 1);
    return { id: wholeId(id), type, text: schema, referred: [...referred.values()] };
  }

  /** Those that a schema needs come first. */
  async #refer(references: unknown, referred: Map<string, ReferredSchema>, depth: number): Promise<void> {
    if (!Array.isArray(references)) return;
    for (const { name, subject, version } of references as readonly Reference[]) {
      if (typeof name !== 'string' || typeof subject !== 'string' || typeof version !== 'number')
        throw broken('an answer has a reference without a name, a subject and a version');
      if (referred.has(name)) continue;
      if (depth > mostReferred || referred.size >= mostReferred)
        throw broken(`a schema needs more than ${mostReferred} others`);
      const answer = await this.#ask('GET', versionPath(subject, version));
      if (typeof answer.schema !== 'string') throw broken('an answer has no schema');
      await this.#refer(answer.references, referred, depth + 1);
      referred.set(name, { name, text: answer.schema });
    }
  }

  async #ask(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const { timeout, url } = this.#options;
    const own = body === undefined ? [] : ['content-type', mediaType];
    try {
      const { status, body: bytes } = await this.#client.send({
        method,
        origin: this.#origin,
        path: `${this.#base}${path}`,
        headers: [...this.#headers, ...own],
        body: body && JSON.stringify(body),
        deadline: timeout,
      });
      const answer = answerIn(bytes);
      if (status >= 200 && status < 300 && answer !== undefined) return answer;
      throw refusal(status, answer, path);
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      throw new Failure(error.code, `the schema registry at ${url} cannot be asked: ${error.message}`, {
        cause: error,
        retriable: true,
      });
    }
  }
}

function versionPath(subject: string, version: number | string): string {
  return `${subjectPath(subject)}/versions/${version}`;
}

/** Throws for a subject that a path cannot name: `.` and `..` would be another resource, however they are encoded. */
function subjectPath(subject: string): string {
  if (/^\.{0,2}$/.test(subject))
    throw new Failure('connector_failed', `"${subject}" is not the name of a subject`, { retriable: false });
  return `/subjects/${encodeURIComponent(subject)}`;
}

function answerIn(bytes: Buffer): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** What the registry has not, or does not take, it will not have with the next try. */
function refusal(status: number, answer: Answer | undefined, path: string): Failure {
  const said = typeof answer?.message === 'string' ? answer.message.slice(0, 500) : `status ${status}`;
  const subject = decodeURIComponent(/^\/subjects\/([^/]+)/.exec(path)?.[1] ?? '');
  if (withoutPath.includes(status)) return new Missing(`the schema registry does not have it: ${said}`);
  if (status === incompatible)
    return new Failure('connector_failed', `the schema is not compatible with subject "${subject}": ${said}`, {
      retriable: false,
    });
  if (status === 401 || status === 403)
    return new Failure('connector_refused', `the schema registry refuses the credentials: ${said}`);
  const retriable = status >= 500 || status === 408 || status === 429 || status < 400;
  return new Failure('connector_failed', `the schema registry answered: ${said}`, { retriable });
}

/** The registry has no such schema. */
export class Missing extends Failure {
  constructor(message: string, cause?: unknown) {
    super('connector_failed', message, { cause, retriable: false });
  }
}

function wholeId(id: unknown): number {
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < 2 ** 31) return id;
  throw broken('an answer has no id');
}

function broken(says: string): Failure {
  return new Failure('connector_failed', `the schema registry answered what is not understood: ${says}`);
}
