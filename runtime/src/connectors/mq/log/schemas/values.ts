import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { readTls } from '../../../../platform/net/tls.ts';
import type { Schema, SchemaType, WrittenSchema } from './format.ts';
import { framed, readFramed } from './framing.ts';
import { Kept } from './kept.ts';
import { schemaOf } from './languages.ts';
import { Missing, type RegisteredSchema, SchemaRegistry } from './registry.ts';
import type { schemaRegistry } from './spec.ts';

export type RegistryConfig = Values<typeof schemaRegistry>;
type TopicSchemas = NonNullable<RegistryConfig['schemas']>['topic'][number];

/** Which part of a message. */
export type Part = 'key' | 'value';

/** A schema, and the id that values name it by. */
interface Known {
  readonly id: number;
  readonly schema: Schema;
}

/** What is written of the schema of one part of the messages of a topic. */
interface Written {
  readonly text: string | undefined;
  readonly id: number | undefined;
  readonly subject: string | undefined;
  readonly version: number | undefined;
  readonly message: string | undefined;
}

/** Schemas that are kept; each is read once. */
const mostKept = 1_000;
/** Milliseconds after which the registry is asked again for the latest version of a subject. */
const latestLasts = 300_000;
/** Milliseconds for which what the registry does not have is not asked for again. */
const missingLasts = 30_000;

const typeOf: Readonly<Record<RegistryConfig['format'], SchemaType>> = {
  avro: 'AVRO',
  json: 'JSON',
  protobuf: 'PROTOBUF',
};

/** Keys and values of messages with the schemas that a registry knows. */
export class SchemaValues {
  readonly #config: RegistryConfig;
  readonly #topics: ReadonlyMap<string, TopicSchemas>;
  readonly #byId: Kept<string, Known>;
  readonly #written: Kept<string, Known>;
  #registry: SchemaRegistry | undefined;

  constructor(config: RegistryConfig, services: Pick<ConnectorServices, 'clock'>) {
    this.#config = config;
    this.#topics = new Map(config.schemas?.topic.map((topic) => [topic.label, topic]));
    this.#byId = new Kept(mostKept, services.clock);
    this.#written = new Kept(mostKept, services.clock);
  }

  /** Rejects when a written schema is not a schema, or the registry cannot be asked. */
  async open(services: ConnectorServices): Promise<void> {
    const { url, username, password, timeout, tls } = this.#config;
    for (const topic of this.#topics.keys())
      for (const part of ['key', 'value'] as const) {
        const { text, message } = this.#writtenOf(topic, part);
        if (text !== undefined) await this.#read(this.#ownSchema(text), message, `${part}_schema of topic "${topic}"`);
      }
    const material = await readTls(tls, services);
    this.#registry = new SchemaRegistry({ url, username, password, timeout, tls: material });
    if (!(await this.#registry.check()))
      services.log.warn(
        'the schema registry has no /schemas/types: if url of schema_registry is not where its paths begin, every schema will be missing',
        { url },
      );
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#registry?.close(cut);
  }

  async check(): Promise<void> {
    await this.#asked.check();
  }

  /** Whether keys of this topic have a schema. */
  hasKeys(topic: string): boolean {
    const { text, id, subject, version } = this.#writtenOf(topic, 'key');
    return [text, id, subject, version].some((each) => each !== undefined);
  }

  /** The value of the bytes of a message. Rejects with a Failure, which is permanent unless the registry cannot be asked. */
  async read(bytes: Buffer): Promise<unknown> {
    const { id, content } = readFramed(bytes);
    const { schema } = await this.#schemaOf(id, undefined).catch((error: unknown) => {
      if (!(error instanceof Missing)) throw error;
      throw new Failure('body_undecodable', `schema ${id} is unknown: ${error.message}`, { cause: error });
    });
    return schema.read(content);
  }

  /** The bytes of a value, after the id of its schema. Rejects with a Failure. */
  async write(topic: string, part: Part, value: unknown): Promise<Buffer> {
    const { id, schema } = await this.#schemaFor(topic, part);
    return framed(id, schema.write(value));
  }

  #schemaFor(topic: string, part: Part): Promise<Known> {
    const written = this.#writtenOf(topic, part);
    const isFixed = written.id !== undefined || written.text !== undefined || written.version !== undefined;
    return this.#written.get(
      `${part} ${topic}`,
      () => this.#find(topic, part, written),
      lasting(isFixed ? Number.POSITIVE_INFINITY : latestLasts),
    );
  }

  async #find(topic: string, part: Part, written: Written): Promise<Known> {
    const { text, id, version, message } = written;
    const isWhere = `${part}s of topic "${topic}"`;
    if (id !== undefined)
      return this.#schemaOf(id, message).catch((error: unknown) => {
        throw missing(error, `schema ${id} of the ${isWhere}`, `write the id of a schema as ${part}_schema_id`);
      });
    if (text === undefined) {
      const subject = this.#subjectOf(topic, part, written, undefined);
      const found = await this.#asked.version(subject, version).catch((error: unknown) => {
        const of = `${version === undefined ? '' : `version ${version} of `}subject "${subject}" for the ${isWhere}`;
        throw missing(error, of, remedy(part, subject));
      });
      return this.#known(found, message);
    }
    const own = this.#ownSchema(text);
    const schema = await this.#read(own, message, `${part}_schema of topic "${topic}"`);
    const subject = this.#subjectOf(topic, part, written, schema.name);
    const known = await this.#asked.idOf(subject, own, this.#config.auto_register).catch((error: unknown) => {
      throw missing(error, `${part}_schema of topic "${topic}" under subject "${subject}"`, remedy(part, subject));
    });
    return { id: known, schema };
  }

  /** Throws a Failure where the strategy needs the name of a record, and the schema has no name. */
  #subjectOf(topic: string, part: Part, { subject }: Written, record: string | undefined): string {
    if (subject !== undefined) return subject;
    const { subject_name_strategy: strategy } = this.#config;
    if (strategy === 'topic') return `${topic}-${part}`;
    if (record === undefined)
      throw new Failure(
        'value_refused',
        `the subject of the ${part}s of topic "${topic}" is not known: subject_name_strategy = "${strategy}" needs ${part}_schema with a name, or ${part}_subject`,
      );
    return strategy === 'record' ? record : `${topic}-${record}`;
  }

  #schemaOf(id: number, message: string | undefined): Promise<Known> {
    return this.#byId.get(
      `${id} ${message ?? ''}`,
      async () => this.#known(await this.#asked.byId(id), message),
      lasting(Number.POSITIVE_INFINITY),
    );
  }

  async #known(registered: RegisteredSchema, message: string | undefined): Promise<Known> {
    const { id } = registered;
    return { id, schema: await this.#read(registered, message, `schema ${id}`) };
  }

  async #read(written: WrittenSchema, message: string | undefined, what: string): Promise<Schema> {
    try {
      return await schemaOf(written, message);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Failure('connector_failed', `${what} cannot be read: ${reason}`, { cause: error, retriable: false });
    }
  }

  #ownSchema(text: string): WrittenSchema {
    return { type: typeOf[this.#config.format as keyof typeof typeOf], text, referred: [] };
  }

  #writtenOf(topic: string, part: Part): Written {
    const found = this.#topics.get(topic);
    return {
      text: found?.[`${part}_schema`],
      id: found?.[`${part}_schema_id`],
      subject: found?.[`${part}_subject`],
      version: found?.[`${part}_version`],
      message: found?.[`${part}_message`],
    };
  }

  get #asked(): SchemaRegistry {
    if (this.#registry !== undefined) return this.#registry;
    throw new Failure('connector_refused', 'the schema registry is not open');
  }
}

/** How a schema comes under a subject, or another one is named. */
const remedy = (part: Part, subject: string) =>
  `register it with POST /subjects/${encodeURIComponent(subject)}/versions, or write ${part}_schema with auto_register = true, or name another one with ${part}_subject, ${part}_version or subject_name_strategy`;

/** Says what is missing, and what helps. Any other failure stays as it is. */
function missing(error: unknown, what: string, help: string): unknown {
  if (!(error instanceof Missing)) return error;
  return new Missing(`${what} is missing: ${error.message.replace(/\.$/, '')}; ${help}`, error);
}

/** What the registry answers lasts; that it does not have something a while; that it cannot be asked not at all. */
function lasting(value: number): (error: unknown) => number {
  return (error) => {
    if (error === undefined) return value;
    return error instanceof Failure && !error.retriable ? missingLasts : 0;
  };
}
