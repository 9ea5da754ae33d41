import { Aggregator } from 'mingo';
import * as updater from 'mingo/updater';
import { ObjectId } from 'mongodb';
import { WriteError } from './command-error.ts';
import { keepDoubles, setDoubles } from './doubles.ts';
import { queryOf } from './filters.ts';
import { refuseName } from './query-syntax.ts';
import { type Collection, copyOf, type Store, textOf } from './store.ts';
import {
  refuseId,
  refuseLargeResult,
  refuseOtherId,
  refuseSize,
  refuseTypes,
  updateRefusal,
} from './update-refusals.ts';
import { refuseMalformed, refuseReplacement } from './update-syntax.ts';
import type { Fields } from './wire.ts';

/** Where a command writes. */
interface Place {
  readonly database: string;
  readonly name: string;
  readonly collection: Collection;
  readonly store: Store;
}

function placeOf(store: Store, database: string, name: unknown): Place {
  refuseName(String(name));
  return { store, database, name: String(name), collection: store.collection(database, String(name), true) };
}

/** Does each part of a write; the first that fails ends it unless it is unordered. */
function each<T>(parts: readonly T[], ordered: unknown, work: (part: T, at: number) => void): Fields {
  const writeErrors: Fields[] = [];
  for (const [index, part] of parts.entries()) {
    try {
      work(part, index);
    } catch (error) {
      if (!(error instanceof WriteError)) throw error;
      writeErrors.push({ index, ...error.fields });
      if (ordered !== false) break;
    }
  }
  return writeErrors.length === 0 ? {} : { writeErrors };
}

export function insert(store: Store, database: string, command: Fields): Fields {
  const place = placeOf(store, database, command['insert']);
  let n = 0;
  const errors = each(command['documents'] as Fields[], command['ordered'], (document) => {
    add(place, document);
    n++;
  });
  return { n, ...errors };
}

/** Keeps a document, with `_id` before its other fields. */
function add({ collection, store, database, name }: Place, given: Fields): void {
  const { _id, ...rest } = given;
  const document = { _id, ...rest };
  keepDoubles(given, document);
  refuseId(_id);
  refuseSize(document);
  collection.requireUnique(document);
  collection.documents.push(document);
  const ns = { db: database, coll: name };
  const documentKey = { _id };
  store.changes.add({ operationType: 'insert', ns, documentKey, fullDocument: copyOf(document) });
}

export function update(store: Store, database: string, command: Fields): Fields {
  const place = placeOf(store, database, command['update']);
  const [upserted, sums] = [[] as Fields[], { n: 0, nModified: 0 }];
  const errors = each(command['updates'] as Fields[], command['ordered'], (part, index) => {
    const { matched, modified, id } = updateOne(place, part);
    sums.n += matched;
    sums.nModified += modified;
    if (id !== undefined) upserted.push({ index, _id: id });
  });
  return { ...sums, ...(upserted.length > 0 && { upserted }), ...errors };
}

/** `q`, `u`, `multi` and `upsert` of one update. */
function updateOne(place: Place, part: Fields) {
  const { collection } = place;
  const matches = queryOf(part['q'] as Fields | undefined)
    .find<Fields>(collection.documents)
    .all();
  const chosen = part['multi'] === true ? matches : matches.slice(0, 1);
  if (part['multi'] === true && kindOf(part).isReplaced)
    throw new WriteError({ code: 9, errmsg: 'multi update is not supported for replacement-style update' });
  const { updates, isReplaced } = kindOf(part);
  if (isReplaced) refuseReplacement(updates as Fields);
  else if (!Array.isArray(updates)) refuseMalformed(updates, part['arrayFilters'] as Fields[] | undefined);
  let modified = 0;
  for (const document of chosen) if (change(place, document, part)) modified++;
  if (chosen.length > 0 || part['upsert'] !== true) return { matched: chosen.length, modified, id: undefined };
  const made = upsertedOf(part);
  add(place, made);
  return { matched: 1, modified: 0, id: made['_id'] };
}

/** Whether the document is another one then. */
function change({ collection, store, database, name }: Place, document: Fields, part: Fields): boolean {
  const { updates, isReplaced } = kindOf(part);
  const after = isReplaced
    ? { _id: document['_id'], ...(part['u'] as Fields) }
    : applied(document, updates, part['arrayFilters']);
  if (isReplaced) keepDoubles(part['u'], after);
  refuseOtherId(document['_id'], after['_id']);
  refuseLargeResult(after);
  if (textOf(after) === textOf(document)) return false;
  collection.requireUnique(after, document);
  collection.documents[collection.documents.indexOf(document)] = after;
  const updatedFields = Object.fromEntries(
    Object.entries(after).filter(([field, value]) => textOf(value) !== textOf(document[field] ?? null)),
  );
  const removedFields = Object.keys(document).filter((field) => !(field in after));
  store.changes.add({
    operationType: isReplaced ? 'replace' : 'update',
    ns: { db: database, coll: name },
    documentKey: { _id: document['_id'] },
    ...(store.keepsImages(database, name) && { before: copyOf(document) }),
    ...(isReplaced
      ? { fullDocument: copyOf(after) }
      : { updateDescription: { updatedFields, removedFields, truncatedArrays: [] } }),
  });
  return true;
}

function kindOf(part: Fields) {
  const updates = part['u'] as Fields | Fields[];
  const isReplaced = !Array.isArray(updates) && !(Object.keys(updates)[0] ?? '').startsWith('$');
  return { updates, isReplaced };
}

function applied(document: Fields, updates: Fields | Fields[], arrayFilters: unknown): Fields {
  const copies = [copyOf(document)];
  if (Array.isArray(updates)) return new Aggregator(updates).run<Fields>(copies)[0] as Fields;
  const options = arrayFilters === undefined ? {} : { arrayFilters: arrayFilters as Fields[] };
  const { $setOnInsert: _, ...modifier } = updates;
  // An _id may be set to itself.
  const { _id, ...set } = (modifier['$set'] ?? {}) as Fields;
  if (_id !== undefined) {
    refuseOtherId(document['_id'], _id);
    modifier['$set'] = set;
  }
  try {
    refuseTypes(document, modifier);
    if (Object.keys(modifier).length > 0) updater.updateOne(copies, {}, modifier as never, options);
  } catch (error) {
    throw updateRefusal(error);
  }
  const { $set = {}, $inc = {}, $mul = {} } = updates as Readonly<Record<string, Fields>>;
  for (const fields of [$inc, $mul, $set]) setDoubles(fields, copies[0] as Fields, fields === $set);
  return copies[0] as Fields;
}

/** The fields of a filter, also those that are joined by and, or are the only alternative. */
function equalitiesIn(filter: Fields): readonly (readonly [string, unknown])[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    if (!name.startsWith('$')) return [[name, value] as const];
    const isAll = name === '$and' || (name === '$or' && (value as Fields[]).length === 1);
    return isAll ? (value as Fields[]).flatMap(equalitiesIn) : [];
  });
}

/** What an upsert makes of the equalities of its filter and of its update. */
function upsertedOf(part: Fields): Fields {
  const { updates, isReplaced } = kindOf(part);
  let seed: Fields = {};
  for (const [field, value] of equalitiesIn(part['q'] as Fields)) {
    const operators =
      typeof value === 'object' && value !== null && !('_bsontype' in value) ? (value as Fields) : undefined;
    if (operators !== undefined && !('$eq' in operators)) continue;
    const given = operators === undefined ? value : operators['$eq'];
    seed = field === '_id' ? { ...seed, _id: given } : applied(seed, { $set: { [field]: given } }, undefined);
  }
  const written = isReplaced ? (updates as Fields) : (((updates as Fields)['$set'] ?? {}) as Fields);
  const id = seed['_id'] ?? written['_id'] ?? new ObjectId();
  if (isReplaced) {
    refuseOtherId(id, written['_id'] ?? id);
    const made = { _id: id, ...written };
    keepDoubles(written, made);
    return made;
  }
  const inserted = ((updates as Fields)['$setOnInsert'] ?? {}) as Fields;
  const made = { _id: id, ...seed, ...inserted };
  setDoubles(part['q'] as Fields, made, true);
  keepDoubles(inserted, made);
  return applied(made, updates, part['arrayFilters']);
}

export function remove(store: Store, database: string, command: Fields): Fields {
  const { collection, name } = placeOf(store, database, command['delete']);
  let n = 0;
  for (const { q, limit } of command['deletes'] as Fields[]) {
    const matches = queryOf(q as Fields)
      .find<Fields>(collection.documents)
      .all();
    for (const document of limit === 1 ? matches.slice(0, 1) : matches) {
      collection.documents.splice(collection.documents.indexOf(document), 1);
      const ns = { db: database, coll: name };
      const before = store.keepsImages(database, String(name)) ? { before: copyOf(document) } : {};
      store.changes.add({ operationType: 'delete', ns, documentKey: { _id: document['_id'] }, ...before });
      n++;
    }
  }
  return { n };
}

/** `findAndModify` with an update; gives the document as it is then, or as it was. */
export function findAndModify(store: Store, database: string, command: Fields): Fields {
  const place = placeOf(store, database, command['findAndModify']);
  const { documents } = place.collection;
  const find = () =>
    queryOf(command['query'] as Fields | undefined)
      .find<Fields>(documents)
      .all()[0];
  const found = find();
  if (found === undefined && command['upsert'] === true) {
    const made = upsertedOf({ q: command['query'] ?? {}, u: command['update'] });
    add(place, made);
    const isNew = command['new'] === true;
    return {
      value: isNew ? copyOf(made) : null,
      lastErrorObject: { n: 1, updatedExisting: false, upserted: made['_id'] },
    };
  }
  if (found === undefined) return { value: null, lastErrorObject: { n: 0, updatedExisting: false } };
  const before = copyOf(found);
  const key = textOf(found['_id']);
  change(place, found, { u: command['update'] });
  const after = documents.find(({ _id }) => textOf(_id) === key) as Fields;
  const value = command['new'] === true ? copyOf(after) : before;
  return { value, lastErrorObject: { n: 1, updatedExisting: true } };
}
