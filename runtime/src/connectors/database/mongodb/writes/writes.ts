import type { Collection } from 'mongodb';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { CallDescription, CallRequest } from '../../../../foundation/contracts/target.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { addressRow, type RowKeys, requireKey } from '../../../core/row-address.ts';
import { isEmpty, lookupIn, namedParams } from '../asked.ts';
import type { CommandOptions, DatabaseClient } from '../client.ts';
import { decode } from '../documents/decoder.ts';
import { type Document, Encoder, type Types } from '../documents/encoder.ts';
import { FilterBuilder } from '../documents/filter.ts';
import { withParameters } from '../documents/parameters.ts';
import { refusedValue } from '../documents/refused.ts';
import { data, entryOf, itemOf } from '../documents/shape.ts';
import { UpdateBuilder } from '../documents/update.ts';
import type { Plan } from '../plan.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Sends what was built for one message. */
type Send = (collection: Collection, options: CommandOptions) => Promise<CallResult>;

/** Documents are named by `_id`; a collection may have a field `id` for it. */
const keyNames: readonly string[] = ['_id', 'id'];
const documentKeys: RowKeys = { keyOf: (name) => (keyNames.includes(name) ? name : undefined) };

/** More documents at once are refused before they are sent. */
const mostDocuments = 100_000;

/** Writes documents: what one place of the configuration asks. */
export class Writes {
  readonly #plan: Plan;
  readonly #call: CallDescription;
  readonly #client: DatabaseClient;
  readonly #where: string;

  constructor(plan: Plan, call: CallDescription, client: DatabaseClient, where: string) {
    this.#plan = plan;
    this.#call = call;
    this.#client = client;
    this.#where = where;
  }

  run(name: string, request: CallRequest): Promise<CallResult> {
    const { timeout } = this.#call;
    const isMany = this.#plan.action.endsWith('many');
    const execution = { writes: true, isMany, timeout, signal: request.signal };
    const { filters, payload } = addressRow(request, documentKeys);
    const { params, words } = request;
    const send = this.#prepared({ filters, payload, params, words });
    return this.#client.run(execution, async ({ database, types }, options) => {
      try {
        return await send(database.collection(name), options);
      } catch (error) {
        // The driver fails to encode what is much larger than a document may be.
        if (error instanceof RangeError && isTooLarge({ payload, params, words }, types.BSON))
          throw refusedValue('document', 'too_large', 'is larger than the 16 MiB that a document may have');
        throw error;
      }
    });
  }

  /** Everything that can be refused is refused before a connection is asked for. */
  #prepared(request: CallRequest): Send {
    const encoder = new Encoder(this.#client.opened.types);
    switch (this.#plan.action) {
      case 'insert':
        return this.#insert(encoder, request);
      case 'insert many':
        return this.#insertMany(encoder, request);
      case 'upsert':
        return this.#upsert(encoder, request);
      case 'replace':
        return this.#replace(encoder, request);
      case 'delete':
      case 'delete many':
        return this.#delete(encoder, request);
      default:
        return this.#update(encoder, request);
    }
  }

  #insert(encoder: Encoder, request: CallRequest): Send {
    const document = encoder.document(this.#payload(request), '', this.#plan.document);
    return async (collection, options) => {
      const { insertedId } = await collection.insertOne(document, options);
      return { affected: 1, id: decode(insertedId, this.#call.exact) };
    };
  }

  /** The documents of `params.documents`, or the payload alone. */
  #insertMany(encoder: Encoder, request: CallRequest): Send {
    const given = namedParams(request.params)['documents'] ?? request.payload?.['documents'];
    const documents = given === undefined ? [this.#payload(request)] : this.#listed(given);
    if (documents.length === 0) return async () => ({ affected: 0 });
    const path = given === undefined ? '' : 'documents';
    const shape = entryOf(this.#plan.document, 'documents');
    const built = documents.map((each, at) =>
      path === ''
        ? encoder.document(each, path, this.#plan.document)
        : encoder.document(each, `${path}[${at}]`, itemOf(shape, at)),
    );
    return async (collection, options) => {
      const { insertedCount } = await collection.insertMany(built, options);
      return { affected: insertedCount };
    };
  }

  #listed(given: unknown): readonly Fields[] {
    const isList = Array.isArray(given) && given.every((each) => typeof each === 'object' && each !== null);
    if (!isList) throw refusedValue('documents', 'type_mismatch', 'must be a list of objects');
    if (given.length > mostDocuments)
      throw refusedValue('documents', 'too_large', `has more than ${mostDocuments} documents`);
    return given as readonly Fields[];
  }

  #update(encoder: Encoder, request: CallRequest): Send {
    const filter = this.#filter(encoder, request);
    const update = this.#updateOf(encoder, request);
    const upsert = this.#isUpsert(request);
    const isMany = this.#plan.action === 'update many';
    return async (collection, options) => {
      const { matchedCount, upsertedCount, upsertedId } = isMany
        ? await collection.updateMany(filter, update, options)
        : await collection.updateOne(filter, update, { ...options, upsert });
      return this.#changed(matchedCount + upsertedCount, upsertedId);
    };
  }

  #updateOf(encoder: Encoder, request: CallRequest): Document {
    const builder = new UpdateBuilder(encoder);
    return this.#writtenUpdate(builder, request) ?? builder.set(this.#payload(request));
  }

  /** The update that the configuration writes, in the flow or in the named operation. */
  #writtenUpdate(builder: UpdateBuilder, request: CallRequest): Document | undefined {
    const { update } = this.#plan;
    if (update === undefined) return undefined;
    const given =
      update.named === undefined
        ? request.words?.['update']
        : withParameters(update.named, lookupIn(request), this.#where);
    return given === undefined ? undefined : builder.build(given as Fields, update.shape);
  }

  #replace(encoder: Encoder, request: CallRequest): Send {
    const filter = this.#filter(encoder, request);
    const document = replacementOf(filter, encoder.document(this.#payload(request), ''));
    const upsert = this.#isUpsert(request);
    return async (collection, options) => {
      const { matchedCount, upsertedCount, upsertedId } = await collection
        .replaceOne(filter, document, { ...options, upsert })
        .catch((error: unknown) => {
          throw (error as { readonly code?: unknown }).code === immutableField ? otherKey('_id') : error;
        });
      return this.#changed(matchedCount + upsertedCount, upsertedId);
    };
  }

  /** Finds by the fields of `conflict`, which the payload must have, and sets the others. */
  #upsert(encoder: Encoder, request: CallRequest): Send {
    const payload = this.#payload(request);
    const { conflict } = this.#plan;
    const missing = conflict.find((name) => payload[name] === undefined || payload[name] === null);
    if (missing !== undefined) throw refusedValue(missing, 'required', 'is needed to find the document of an UPSERT');
    const entries = Object.entries(payload);
    const found = Object.fromEntries(entries.filter(([name]) => conflict.includes(name)));
    const rest = Object.fromEntries(entries.filter(([name]) => !conflict.includes(name)));
    for (const [name, value] of Object.entries(found))
      if (isStructured(value)) throw refusedValue(name, 'type_mismatch', 'must be one value to find the document');
    const filter = new FilterBuilder(encoder).build(found, data);
    const builder = new UpdateBuilder(encoder);
    // Nothing but the key: the document is there afterwards, and is left as it is.
    const change =
      this.#writtenUpdate(builder, request) ??
      (isEmpty(rest) ? { $setOnInsert: encoder.document(found, '') } : builder.set(rest));
    return async (collection, options) => {
      const { matchedCount, upsertedCount, upsertedId } = await collection.updateOne(filter, change, {
        ...options,
        upsert: true,
      });
      return this.#changed(matchedCount + upsertedCount, upsertedId);
    };
  }

  #delete(encoder: Encoder, request: CallRequest): Send {
    const filter = this.#filter(encoder, request);
    const isMany = this.#plan.action === 'delete many';
    return async (collection, options) => {
      const { deletedCount } = isMany
        ? await collection.deleteMany(filter, options)
        : await collection.deleteOne(filter, options);
      return { affected: deletedCount };
    };
  }

  #changed(affected: number, upserted: unknown): CallResult {
    return { affected, ...(upserted !== null && { id: decode(upserted, this.#call.exact) }) };
  }

  #isUpsert({ params }: CallRequest): boolean {
    return namedParams(params)['upsert'] === true;
  }

  #payload({ payload }: CallRequest): Fields {
    if (payload !== undefined && !isEmpty(payload)) return payload;
    throw nothingToWrite(this.#where);
  }

  #filter(encoder: Encoder, request: CallRequest): Document {
    const { filters: written } = this.#plan;
    const filters =
      written.named === undefined
        ? (request.filters ?? {})
        : (withParameters(written.named, lookupIn(request), this.#where) as Fields);
    for (const name of keyNames) requireKey(name, filters[name]);
    if (written.named === undefined && !this.#plan.action.endsWith('many')) refuseSeveral(filters);
    if (!isEmpty(filters)) return new FilterBuilder(encoder).build(filters, written.shape);
    const word = this.#plan.action.toUpperCase().replace(' ', '_');
    throw new Failure(
      'filter_missing',
      `${this.#where}: this ${word} has no filter and could change any document. Give the id in \`transform\` or \`params\`, or write query_filter`,
    );
  }
}

/** Bytes of a document. */
const largest = 16 * 1024 * 1024;

/** Whether one of the documents of a request, or what it sets, is larger than a document may be. */
function isTooLarge({ payload, params, words }: CallRequest, { calculateObjectSize }: Types['BSON']): boolean {
  const listed = namedParams(params)['documents'] ?? payload?.['documents'];
  const parts = Array.isArray(listed) ? listed : [payload, words?.['update']];
  return parts.some((part) => typeof part === 'object' && part !== null && calculateObjectSize(part) > largest);
}

/** A list of keys finds several documents, of which a change of one document would take any. */
function refuseSeveral(filters: Fields): void {
  for (const name of keyNames)
    if (Array.isArray(filters[name]))
      throw refusedValue(name, 'type_mismatch', 'must be one value to find the document');
}

export function nothingToWrite(where: string): Failure {
  return new Failure('nothing_to_write', `${where}: there is nothing to write: the payload has no fields`);
}

/** Code of the server for a document that would get another `_id`. */
const immutableField = 66;

/** What takes the place of the document that a filter finds. Throws `value_refused` where it has another key. */
function replacementOf(filter: Document, given: Document): Document {
  const address = addressIn(filter);
  const document: Document = { ...address, ...given };
  for (const name of keyNames) {
    if (Object.hasOwn(given, name)) requireKey(name, given[name]);
    if (!Object.hasOwn(address, name)) continue;
    if (String(document[name]) !== String(address[name])) throw otherKey(name);
    document[name] = address[name];
  }
  return document;
}

function otherKey(name: string): Failure {
  return refusedValue(name, 'conflict', 'is another one than that of the document which is replaced');
}

/** The fields by which a filter finds one document, which stay in what takes its place. */
function addressIn(filter: Document): Document {
  const isAddress = ([name, value]: readonly [string, unknown]) =>
    !/[$.]/.test(name) && value !== null && value !== undefined && !isStructured(value);
  return Object.fromEntries(Object.entries(filter).filter(isAddress));
}

function isStructured(value: unknown): boolean {
  return Array.isArray(value) || value instanceof Map || Object.getPrototypeOf(value ?? 0) === Object.prototype;
}
