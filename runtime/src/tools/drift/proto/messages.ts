import protobuf from 'protobufjs';
import type { DifferenceCode } from '../difference.ts';
import { type DifferProto, type Direction, nameOf } from './differences.ts';
import { compareEnums } from './enums.ts';
import { describedType, familyOf, familyOfScalar, kindOf, reserves } from './types.ts';

interface Pair {
  readonly contract: protobuf.Type;
  readonly served: protobuf.Type;
  readonly direction: Direction;
}

/** Compares messages as they are on the wire: by the numbers of their fields. Their own names do not matter. */
export class Messages {
  readonly #differ: DifferProto;
  readonly #seen = new Set<string>();
  /** A message may contain itself, and a chain of them may be long: none is compared within another one. */
  readonly #left: Pair[] = [];

  constructor(differ: DifferProto) {
    this.#differ = differ;
  }

  compare(contract: protobuf.Type, served: protobuf.Type, direction: Direction): void {
    this.#add({ contract, served, direction });
    for (let next = this.#left.pop(); next !== undefined; next = this.#left.pop()) this.#fields(next);
  }

  #add(pair: Pair): void {
    if (this.#isNew(pair.contract, pair.served, pair.direction)) this.#left.push(pair);
  }

  #isNew(contract: protobuf.ReflectionObject, served: protobuf.ReflectionObject, direction: Direction): boolean {
    const key = `${direction} ${contract.fullName} ${served.fullName}`;
    const isNew = !this.#seen.has(key);
    this.#seen.add(key);
    return isNew;
  }

  #fields(pair: Pair): void {
    const { contract, served, direction } = pair;
    const byNumber = new Map(served.fieldsArray.map((field) => [field.id, field]));
    const byName = new Map(served.fieldsArray.map((field) => [field.name, field]));
    const names = new Set(contract.fieldsArray.map(({ name }) => name));
    const numbers = new Set(contract.fieldsArray.map(({ id }) => id));
    for (const field of contract.fieldsArray) {
      const named = byName.get(field.name);
      const own = byNumber.get(field.id);
      if (named !== undefined && named.id !== field.id)
        this.#tell(true, field, named, `has the number ${named.id} here, and ${field.id} in the contract`);
      else if (own !== undefined) this.#field(field, own, direction);
      else {
        const effect = direction === 'request' ? 'what callers send in it is dropped' : 'callers never get it';
        const message = `the field ${shown(field)} of ${nameOf(contract)} is in the contract, and not here: ${effect}`;
        this.#note(true, message, nameOf(field), nameOf(served));
      }
    }
    for (const own of served.fieldsArray) {
      if (numbers.has(own.id) || names.has(own.name)) continue;
      const isReserved = reserves(contract, own.id);
      const isAsked = direction === 'request' && own.required;
      const rest = isReserved
        ? `and the contract reserves the number ${own.id}`
        : isAsked
          ? 'where it must be sent, and not in the contract'
          : 'and not in the contract';
      const message = `the field ${shown(own)} of ${nameOf(contract)} is here, ${rest}`;
      this.#note(isReserved || isAsked, message, isReserved ? nameOf(contract) : undefined, nameOf(own));
    }
    this.#oneofs(pair);
  }

  #field(a: protobuf.Field, b: protobuf.Field, direction: Direction): void {
    const isWritten = a.name === b.name;
    if (!isWritten) this.#tell(false, a, b, `is named "${b.name}" here, and "${a.name}" in the contract`);
    const [here, there] = [describedType(b), describedType(a)];
    const differs = (isBreaking: boolean) =>
      this.#tell(isBreaking, a, b, `is ${here} here, and ${there} in the contract`);
    if (kindOf(a) !== kindOf(b)) {
      differs(true);
      return;
    }
    if (a instanceof protobuf.MapField && b instanceof protobuf.MapField && a.keyType !== b.keyType)
      differs(familyOfScalar(a.keyType) !== familyOfScalar(b.keyType));
    const [own, other] = [b.resolvedType, a.resolvedType];
    if (familyOf(a) !== familyOf(b)) differs(true);
    else if (other instanceof protobuf.Type && own instanceof protobuf.Type)
      this.#add({ contract: other, served: own, direction });
    else if (other instanceof protobuf.Enum && own instanceof protobuf.Enum) {
      if (this.#isNew(other, own, direction)) compareEnums(other, own, direction, this.#differ);
    } else if (a.type !== b.type) differs(false);
    if (kindOf(a) === 'single') this.#presence(a, b, direction);
  }

  #presence(a: protobuf.Field, b: protobuf.Field, direction: Direction): void {
    if (a.required !== b.required) {
      const [here, there] = b.required ? ['must be there', 'may be absent'] : ['may be absent', 'must be there'];
      // Who reads a message that lacks a required field refuses it.
      this.#tell(b.required === (direction === 'request'), a, b, `${here} here, and ${there} in the contract`);
    } else if (!a.hasPresence !== !b.hasPresence && !excludesOthers(a) && !excludesOthers(b)) {
      const [here, there] = b.hasPresence ? ['is known', 'is not'] : ['is not known', 'is'];
      this.#tell(false, a, b, `${here} to be absent here (optional), and ${there} in the contract`);
    }
    const [own, other] = [standardOf(b), standardOf(a)];
    if (own !== other)
      this.#tell(false, a, b, `is ${own ?? 'empty'} where it is absent here, and ${other ?? 'empty'} in the contract`);
  }

  /** Of fields that exclude each other, who reads a message keeps the last one. */
  #oneofs({ contract, served, direction }: Pair): void {
    const isRequest = direction === 'request';
    const [reader, writer] = isRequest ? [served, contract] : [contract, served];
    for (const [groups, others, isBreaking] of [
      [reader, writer, true],
      [writer, reader, false],
    ] as const)
      for (const oneof of groups.oneofsArray) {
        const common = oneof.fieldsArray.filter(({ id }) => others.fieldsById[id] !== undefined);
        const owners = new Set(common.map(({ id }) => others.fieldsById[id]?.partOf ?? id));
        if (owners.size < 2) continue;
        const isHere = groups === served;
        const [one, other] = isHere ? ['here', 'in the contract'] : ['in the contract', 'here'];
        const names = common.slice(0, mostShown).map(({ name }) => `"${name}"`);
        const fields = `${names.join(', ')}${common.length > mostShown ? ', …' : ''}`;
        const message = `the fields ${fields} of ${nameOf(contract)} exclude each other ${one} (oneof ${oneof.name}), and not ${other}`;
        const own = isHere ? `${nameOf(served)}.${oneof.name}` : nameOf(served);
        const there = isHere ? nameOf(contract) : `${nameOf(contract)}.${oneof.name}`;
        this.#note(isBreaking, message, there, own);
      }
  }

  #tell(isBreaking: boolean, a: protobuf.Field, b: protobuf.Field, says: string): void {
    const message = `the field ${shown(a)} of ${nameOf(a.parent as protobuf.Type)} ${says}`;
    this.#note(isBreaking, message, nameOf(a), nameOf(b));
  }

  #note(isBreaking: boolean, message: string, contract: string | undefined, served: string): void {
    const code: DifferenceCode = 'contract-type';
    this.#differ({ code, isBreaking, message, contract, served });
  }
}

/** Names that a message lists. */
const mostShown = 10;

function shown({ name, id }: protobuf.Field): string {
  return `"${name}" (${id})`;
}

function excludesOthers({ partOf }: protobuf.Field): boolean {
  return (partOf?.fieldsArray.length ?? 0) > 1;
}

function standardOf({ options }: protobuf.Field): string | undefined {
  const written: unknown = options?.['default'];
  return written === undefined || written === null ? undefined : String(written);
}
