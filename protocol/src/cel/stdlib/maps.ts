import { lookup, MapBuilder, spentKeys } from '../values/map.ts';
import { mapOf, textOf } from './arguments.ts';
import type { Builtin, FunctionDefinition } from './definition.ts';

/** The product's functions over maps. Results have no inherited properties, whatever the keys are called. */
export const maps: readonly FunctionDefinition[] = [
  {
    name: 'merge',
    group: 'maps',
    dialect: 'product',
    signatures: ['merge(first: map(A, B), second: map(A, B), third?: map(A, B), fourth?: map(A, B)) -> map(A, dyn)'],
    doc: 'The entries of all maps; of equal keys the later wins. Maps inside are not merged.',
    example: "merge({'a': 1, 'b': 1}, {'b': 2}) == {'a': 1, 'b': 2}",
    call: (...maps) => {
      const values = new Map<unknown, unknown>();
      const given = maps.filter((map) => map !== undefined).map(mapOf);
      for (const map of given) for (const key of spentKeys(map)) values.set(key, lookup(map, key));
      const merged = new MapBuilder();
      for (const [key, value] of values) merged.add(key, value);
      return merged.build();
    },
  },
  {
    name: 'omit',
    group: 'maps',
    dialect: 'product',
    signatures: ['omit(map: map(A, B), key: string, second?: string, third?: string) -> map(A, B)'],
    doc: 'The map without these keys.',
    example: "omit({'a': 1, 'b': 2}, 'b') == {'a': 1}",
    call: choose((key, names) => !names.includes(key)),
  },
  {
    name: 'pick',
    group: 'maps',
    dialect: 'product',
    signatures: ['pick(map: map(A, B), key: string, second?: string, third?: string) -> map(A, B)'],
    doc: 'The map with only these keys; those it lacks are passed over.',
    example: "pick({'a': 1, 'b': 2}, 'b', 'c') == {'b': 2}",
    call: choose((key, names) => names.includes(key)),
  },
];

function choose(keep: (key: unknown, names: readonly unknown[]) => boolean): Builtin {
  return (value, ...keys) => {
    const map = mapOf(value);
    const names = keys.filter((key) => key !== undefined).map(textOf);
    const chosen = new MapBuilder();
    for (const key of spentKeys(map)) if (keep(key, names)) chosen.add(key, lookup(map, key));
    return chosen.build();
  };
}
