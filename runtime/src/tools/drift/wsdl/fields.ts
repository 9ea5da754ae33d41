import type { Origin } from '@svc/protocol/schema';
import type { XmlElement } from '../../../platform/formats/wsdl/elements.ts';
import type { Particle } from '../../../platform/formats/wsdl/particles.ts';
import type { SimpleKind } from '../../../platform/formats/wsdl/simple-kinds.ts';
import type { Direction } from '../comparison.ts';
import type { Content, Contents, FieldsContent } from './contents.ts';
import type { DifferWsdl } from './differences.ts';

/** Where a configuration declares a type, or a field of it. */
export type TypePlaces = (type: string, field: string | undefined) => Origin | undefined;

/** Two elements of messages, as far as they are compared. */
export interface Compared {
  readonly contract: Content;
  readonly served: Content;
  readonly direction: Direction;
  /** Such as `the request of PlaceOrder: line`. */
  readonly subject: string;
  /** Where the contract has it. */
  readonly at: XmlElement;
  readonly own: Origin | undefined;
  /** The type of the configuration that it has, where that is not what the description calls it. */
  readonly type: string | undefined;
  /** Whether it is one of a list: a configuration says nothing but the type of each. */
  readonly isItem: boolean;
  /** An answer may be a list of what is described instead, in this element. */
  readonly list?: Particle | undefined;
}

/** Compares what is in elements of messages. */
export class FieldComparison {
  readonly #contract: Contents;
  readonly #served: Contents;
  readonly #places: TypePlaces;
  readonly #differ: DifferWsdl;
  readonly #seen = new Map<XmlElement, Set<unknown>>();
  /** A type may contain itself, and a chain of them may be long: none is compared within another one. */
  readonly #left: Compared[] = [];

  constructor(contract: Contents, served: Contents, places: TypePlaces, differ: DifferWsdl) {
    this.#contract = contract;
    this.#served = served;
    this.#places = places;
    this.#differ = differ;
  }

  compare(compared: Compared): void {
    this.#left.push(compared);
    for (let next = this.#left.pop(); next !== undefined; next = this.#left.pop()) this.#contents(next);
  }

  #contents(compared: Compared): void {
    const { contract: a, served: b, direction } = compared;
    if (a.kind === 'open' && a.isBeyond)
      this.#tell(compared, true, 'has more groups and bases in the contract than are read: nothing of it is compared');
    else if (a.kind === 'open' && b.kind === 'open') return;
    else if (b.kind === 'open') {
      const isEmpty = a.kind === 'fields' && a.fields.length === 0;
      if (!isEmpty) this.#tell(compared, false, 'is not described by a type here: nothing of it is compared');
    } else if (a.kind === 'fields' && b.kind === 'fields') {
      if (!this.#isNew(a, b, direction)) return;
      this.#fields(compared, a, b);
      this.#order(compared, a, b);
    } else if (a.kind === 'simple' && b.kind === 'simple') this.#simple(compared, a, b);
    else {
      const isBreaking = a.kind !== 'open' || direction === 'request';
      this.#tell(compared, isBreaking, `is ${worded(b)} here, and ${worded(a)} in the contract`);
    }
  }

  #isNew(a: FieldsContent, b: FieldsContent, direction: Direction): boolean {
    const seen = this.#seen.get(a.type) ?? new Set();
    this.#seen.set(a.type, seen);
    const before = seen.size;
    const { type, name } = b;
    seen.add(`${direction} ${name ?? `${type.start}`}`);
    return seen.size > before;
  }

  #fields(compared: Compared, a: FieldsContent, b: FieldsContent): void {
    const { direction, subject, list } = compared;
    const isRequest = direction === 'request';
    const own = new Map(b.fields.map((field) => [field.name, field]));
    const isList = list !== undefined && !own.has(list.name) && a.fields.some(({ name }) => name === list.name);
    if (isList) own.set(list.name, list);
    const type = compared.type ?? b.name;
    const placeOf = (name: string | undefined) =>
      (type === undefined ? undefined : this.#places(type, name)) ?? compared.own;
    for (const field of a.fields) {
      const mine = own.get(field.name);
      const isNeeded = !mayBeMissing(field);
      if (mine === undefined) {
        const place = placeOf(undefined);
        const says = `has the field "${field.name}" in the contract, and not here`;
        this.#tell({ ...compared, at: field.written, own: place }, !isRequest && isNeeded, says);
        continue;
      }
      const place = placeOf(field.name);
      this.#pair({ ...compared, at: field.written, own: place, subject: `${subject}.${field.name}` }, field, mine);
    }
    const names = new Set(a.fields.map(({ name }) => name));
    if (isList) return;
    for (const field of b.fields) {
      if (names.has(field.name)) continue;
      const place = placeOf(field.name);
      const says = `has the field "${field.name}" here, and not in the contract`;
      this.#tell({ ...compared, own: place }, isRequest && !mayBeMissing(field), says, true);
    }
  }

  #pair(compared: Compared, a: Particle, b: Particle): void {
    const isRequest = compared.direction === 'request';
    if (a.isRepeated !== b.isRepeated) {
      const [here, there] = b.isRepeated ? ['is a list', 'a single element'] : ['is a single element', 'a list'];
      this.#tell(compared, isRequest === a.isRepeated, `${here} here, and ${there} in the contract`);
    } else if (!a.isRepeated) this.#presence(compared, a, b);
    // Requests are read in either form.
    if (!isRequest && a.namespace !== b.namespace)
      this.#tell(compared, true, `is in ${shown(b.namespace)} here, and in ${shown(a.namespace)} in the contract`);
    const [contract, served] = [this.#contract.ofField(a), this.#served.ofField(b)];
    const isItem = a.isRepeated || b.isRepeated;
    const { list: _, ...rest } = compared;
    this.#left.push({ ...rest, contract, served, isItem, type: undefined });
  }

  #presence(compared: Compared, a: Particle, b: Particle): void {
    const [isNeeded, isServed] = [!mayBeMissing(a), !mayBeMissing(b)];
    if (isNeeded === isServed) return;
    const [here, there] = isServed ? ['must be there', 'may be absent'] : ['may be absent', 'must be there'];
    const isBreaking = compared.direction === 'request' ? isServed : isNeeded;
    this.#tell(compared, isBreaking, `${here} here, and ${there} in the contract`);
  }

  /** Those of a sequence come in its order, whatever the order is in which they are read. */
  #order(compared: Compared, a: FieldsContent, b: FieldsContent): void {
    const ours = new Set(b.fields.map(({ name }) => name));
    const common = a.fields.filter(({ name, isOrdered }) => isOrdered && ours.has(name)).map(({ name }) => name);
    const kept = new Set(common);
    const own = b.fields.map(({ name }) => name).filter((name) => kept.has(name));
    const first = common.findIndex((name, at) => name !== own[at]);
    if (first < 0) return;
    const type = compared.type ?? b.name;
    const place = type === undefined ? undefined : this.#places(type, undefined);
    this.#tell(
      { ...compared, own: place ?? compared.own },
      compared.direction === 'answer',
      `has its fields in another order: "${own[first]}" is before "${common[first]}" here, and after it in the contract`,
    );
  }

  #simple(compared: Compared, a: Extract<Content, { kind: 'simple' }>, b: Extract<Content, { kind: 'simple' }>): void {
    const isRequest = compared.direction === 'request';
    const [asked, given] = isRequest ? [a.reads, b.reads] : [b.reads, a.reads];
    if (a.reads !== b.reads) {
      const isRead = given === 'string' || (asked === 'integer' && given === 'number');
      this.#tell(compared, !isRead, `is ${worded(b)} here, and ${worded(a)} in the contract`);
    } else if (a.reads === 'string') {
      const [stricter, looser] = [lacks(b.allowed, a.allowed), lacks(a.allowed, b.allowed)];
      if (!stricter && !looser) return;
      const isBreaking = !compared.isItem && (isRequest ? stricter : looser);
      this.#tell(compared, isBreaking, `may be ${listed(b.allowed)} here, and ${listed(a.allowed)} in the contract`);
    }
  }

  #tell(compared: Compared, isBreaking: boolean, says: string, isAdded = false): void {
    const { subject, at, own } = compared;
    const contract = isAdded ? undefined : at;
    this.#differ({ code: 'contract-type', isBreaking, message: `${subject} ${says}`, says, contract, own });
  }
}

/** What may be nil is what may be absent. */
function mayBeMissing({ isOptional, declared }: Particle): boolean {
  const isNillable = /^(?:true|1)$/.test(declared?.attributes['nillable'] ?? '');
  return isOptional || isNillable;
}

const words: Readonly<Record<SimpleKind, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
};

function worded(content: Content): string {
  if (content.kind === 'open') return 'anything';
  return content.kind === 'simple' ? words[content.reads] : 'an element with fields';
}

/** Whether some allowed value of the second list is not in the first. */
function lacks(list: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  if (list === undefined) return false;
  const known = new Set(list);
  return other === undefined || other.some((value) => !known.has(value));
}

function listed(values: readonly string[] | undefined): string {
  const text = values?.map((value) => `"${value}"`).join(', ') ?? 'any text';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function shown(namespace: string | undefined): string {
  return namespace === undefined ? 'no namespace' : `the namespace ${namespace}`;
}
