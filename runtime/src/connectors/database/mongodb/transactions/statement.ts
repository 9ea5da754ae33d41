import type { ClientSession } from 'mongodb';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { isEmpty } from '../asked.ts';
import type { Opened } from '../client.ts';
import { asBytes, decode } from '../documents/decoder.ts';
import { Encoder } from '../documents/encoder.ts';
import { FilterBuilder } from '../documents/filter.ts';
import { withParameters } from '../documents/parameters.ts';
import { PipelineBuilder } from '../documents/pipeline.ts';
import { refusedValue } from '../documents/refused.ts';
import { entryOf, itemOf, type Shape } from '../documents/shape.ts';
import { UpdateBuilder } from '../documents/update.ts';
import { type Bounds, readRows } from '../rows.ts';
import type { Command } from './command.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a statement runs with. */
export interface Running {
  readonly opened: Opened;
  readonly bounds: Bounds;
  /** Undefined outside of a transaction, where only what reads is run. */
  readonly session: ClientSession | undefined;
  readonly maxTimeMS: number | undefined;
}

/** Runs one statement with its parameters. Values are data, as everywhere; integers come as bigint. */
export function runStatement(command: Command, params: Fields, running: Running): Promise<CallResult> {
  const where = `the statement "${command.kind}" of "${command.collection}"`;
  const value = withParameters(command.value, (name) => params[name], where) as Fields;
  const statement = new Statement(command, value, running, where);
  return statement[command.kind]();
}

class Statement {
  readonly #command: Command;
  readonly #value: Fields;
  readonly #running: Running;
  readonly #where: string;
  readonly #encoder: Encoder;

  constructor(command: Command, value: Fields, running: Running, where: string) {
    this.#command = command;
    this.#value = value;
    this.#running = running;
    this.#where = where;
    this.#encoder = new Encoder(running.opened.types);
  }

  async insert(): Promise<CallResult> {
    const given = this.#value['documents'];
    const isList = Array.isArray(given) && given.every((each) => typeof each === 'object' && each !== null);
    if (!isList) throw refusedValue('documents', 'type_mismatch', 'must be a list of objects');
    if (given.length === 0) return { affected: 0, id: null };
    const { ObjectId } = this.#running.opened.types;
    const shape = entryOf(this.#command.shape, 'documents');
    const documents = given.map((each, at) => {
      const document = this.#encoder.document(each as Fields, `documents[${at}]`, itemOf(shape, at));
      return { ...document, _id: document['_id'] ?? new ObjectId() } as Record<string, unknown> & { _id: never };
    });
    const { insertedCount } = await this.#collection.insertMany(documents, this.#options);
    return { affected: insertedCount, id: decode(documents.at(-1)?._id, true) };
  }

  async update(): Promise<CallResult> {
    let affected = 0;
    let id: unknown;
    for (const [at, each] of this.#listed('updates')) {
      const { q, u, multi, upsert } = each.fields as { q: Fields; u: Fields; multi?: unknown; upsert?: unknown };
      const filter = this.#filter(q, entryOf(each.shape, 'q'), `updates[${at}].q`);
      const update = new UpdateBuilder(this.#encoder).build(u, entryOf(each.shape, 'u'));
      const options = { ...this.#options, upsert: upsert === true };
      const done = await (multi === true
        ? this.#collection.updateMany(filter, update, options)
        : this.#collection.updateOne(filter, update, options));
      affected += done.matchedCount + done.upsertedCount;
      if (done.upsertedId !== null) id = decode(done.upsertedId, true);
    }
    return { affected, ...(id !== undefined && { id }) };
  }

  async delete(): Promise<CallResult> {
    let affected = 0;
    for (const [at, each] of this.#listed('deletes')) {
      const { q, limit } = each.fields as { q: Fields; limit: unknown };
      const filter = this.#filter(q, entryOf(each.shape, 'q'), `deletes[${at}].q`);
      const { deletedCount } =
        Number(limit) === 1
          ? await this.#collection.deleteOne(filter, this.#options)
          : await this.#collection.deleteMany(filter, this.#options);
      affected += deletedCount;
    }
    return { affected };
  }

  async find(): Promise<CallResult> {
    const { filter = {}, sort, limit, skip, projection } = this.#value as Readonly<Record<string, Fields | undefined>>;
    const built = new FilterBuilder(this.#encoder).build(filter, entryOf(this.#command.shape, 'filter'));
    const part = {
      ...(sort && { sort: sort as Record<string, 1 | -1> }),
      ...(projection && { projection }),
      ...(skip !== undefined && { skip: Number(skip) }),
      limit: limit === undefined ? this.#running.bounds.rows + 1 : Number(limit),
    };
    return this.#rows(this.#collection.find(built, { ...this.#options, ...part, ...asBytes }));
  }

  async aggregate(): Promise<CallResult> {
    const shape = entryOf(this.#command.shape, 'pipeline');
    const pipeline = new PipelineBuilder(this.#encoder).complete(this.#value['pipeline'], shape);
    return this.#rows(this.#collection.aggregate(pipeline, { ...this.#options, ...asBytes }));
  }

  async #rows(cursor: Parameters<typeof readRows>[0]): Promise<CallResult> {
    const { bounds, opened } = this.#running;
    return { rows: await readRows(cursor, { ...bounds, types: opened.types, exact: true, where: this.#where }) };
  }

  /** An empty filter is one that the configuration writes: one of a message would change any document. */
  #filter(fields: Fields, shape: Shape, path: string) {
    if (shape.kind === 'data' && isEmpty(fields))
      throw new Failure('filter_missing', `${this.#where}: ${path} has no fields and could change any document`);
    return new FilterBuilder(this.#encoder).build(fields, shape, '');
  }

  #listed(name: string): readonly (readonly [number, { readonly fields: Fields; readonly shape: Shape }])[] {
    const shape = entryOf(this.#command.shape, name);
    return (this.#value[name] as readonly Fields[]).map((fields, at) => [at, { fields, shape: itemOf(shape, at) }]);
  }

  get #collection() {
    return this.#running.opened.database.collection(this.#command.collection);
  }

  get #options() {
    const { session, maxTimeMS } = this.#running;
    return { ...(session && { session }), ...(maxTimeMS !== undefined && { maxTimeMS }) };
  }
}
