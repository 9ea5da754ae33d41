import { enumValueName, pascalCase } from './names.ts';
import { braced, member } from './text.ts';

/** What a value of an enum is called, by its name in the schema: the value as the configuration has it. */
export type EnumValues = ReadonlyMap<string, unknown>;

/** Names the enums of fields. Fields of one name and the same values share theirs, whatever type they are of. */
export class Enums {
  readonly #known = new Map<string, EnumValues>();
  /** Names by the place that has them, `type.field`. */
  readonly #places = new Map<string, string>();

  /** The enum of a field; `owner` is the type of the field. */
  nameOf(owner: string, field: string, values: readonly unknown[]): string {
    const place = `${owner}.${field}`;
    const before = this.#places.get(place);
    if (before !== undefined) return before;
    const shared = `${pascalCase(field)}Enum`;
    const own = `${pascalCase(owner)}${shared}`;
    let name = shared;
    for (let further = 1; !this.#isFree(name, values); further++) name = further === 1 ? own : `${own}${further}`;
    this.#places.set(place, name);
    if (!this.#known.has(name)) this.#known.set(name, new Map(values.map((value) => [enumValueName(value), value])));
    return name;
  }

  #isFree(name: string, values: readonly unknown[]): boolean {
    const known = this.#known.get(name);
    return known === undefined || isSame(known, values);
  }

  get all(): ReadonlyMap<string, EnumValues> {
    return this.#known;
  }

  definitions(): readonly { readonly name: string; readonly text: string }[] {
    return [...this.#known].map(([name, values]) => {
      const members = [...values].map(([value, original]) =>
        member(value, value === String(original) ? undefined : String(original)),
      );
      return { name, text: braced('enum', name, '', members) };
    });
  }
}

function isSame(known: EnumValues, values: readonly unknown[]): boolean {
  const own = [...known.values()].map(String);
  return own.length === values.length && values.every((value) => own.includes(String(value)));
}

/** Two allowed values that have one name in the schema; undefined when each has its own. */
export function equalValueNames(values: readonly unknown[]): readonly [unknown, unknown, string] | undefined {
  const seen = new Map<string, unknown>();
  for (const value of values) {
    const name = enumValueName(value);
    const other = seen.get(name);
    if (other !== undefined && String(other) !== String(value)) return [other, value, name];
    seen.set(name, value);
  }
  return undefined;
}
