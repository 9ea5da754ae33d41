import type protobuf from 'protobufjs';
import { type DifferProto, type Direction, nameOf } from './differences.ts';
import { reserves } from './types.ts';

/** Compares the values of enums by their numbers. */
export function compareEnums(
  contract: protobuf.Enum,
  served: protobuf.Enum,
  direction: Direction,
  differ: DifferProto,
): void {
  const [theirs, ours] = [new Map(Object.entries(contract.values)), new Map(Object.entries(served.values))];
  const [promised, known] = [namesByNumber(theirs), namesByNumber(ours)];
  const name = nameOf(contract);
  const note = (isBreaking: boolean, message: string, a: string | undefined, b: string | undefined) =>
    differ({
      code: 'contract-type',
      isBreaking,
      message,
      contract: a === undefined ? undefined : `${name}.${a}`,
      served: b === undefined ? nameOf(served) : `${nameOf(served)}.${b}`,
    });
  for (const [value, number] of theirs) {
    const own = ours.get(value);
    const names = known.get(number);
    if (own !== undefined && own !== number)
      note(true, `the value ${value} of ${name} is ${own} here, and ${number} in the contract`, value, value);
    else if (names === undefined)
      note(
        direction === 'request',
        direction === 'request'
          ? `the value ${value} (${number}) of ${name}, which callers may send, is not known here`
          : `the value ${value} (${number}) of ${name} is never answered here`,
        value,
        undefined,
      );
    else if (!names.includes(value))
      note(
        false,
        `the value ${number} of ${name} is named ${names[0]} here, and ${value} in the contract`,
        value,
        names[0],
      );
  }
  for (const [value, number] of ours) {
    if (promised.has(number) || theirs.has(value)) continue;
    const isReserved = reserves(contract, number);
    const rest = isReserved ? `and the contract reserves the number ${number}` : 'and not in the contract';
    note(isReserved, `the value ${value} (${number}) of ${name} is here, ${rest}`, undefined, value);
  }
}

function namesByNumber(values: ReadonlyMap<string, number>): ReadonlyMap<number, readonly string[]> {
  const names = new Map<number, string[]>();
  for (const [name, number] of values) names.set(number, [...(names.get(number) ?? []), name]);
  return names;
}
