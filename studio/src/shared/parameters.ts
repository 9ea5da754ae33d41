/** Kinds of parameters of host services; a question mark at the end makes one optional. */
export interface Kinds {
  string: string;
  int: number;
  flag: boolean;
  'string[]': readonly string[];
  /** Texts by name, such as headers. */
  texts: Readonly<Record<string, string>>;
}

type Kind = keyof Kinds;
export type ParameterTable = Readonly<Record<string, Kind | `${Kind}?`>>;

type Required<P> = { [K in keyof P]: P[K] extends `${string}?` ? never : K }[keyof P];
type Value<S> = S extends `${infer Name extends Kind}?` ? Kinds[Name] | undefined : S extends Kind ? Kinds[S] : never;

/** What a table of parameters accepts, as a type. */
export type ParametersOf<P extends ParameterTable> = { readonly [K in Required<P>]: Value<P[K]> } & {
  readonly [K in Exclude<keyof P, Required<P>>]?: Value<P[K]>;
};

const isText = (value: unknown): value is string => typeof value === 'string';

const fits: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: isText,
  int: (value) => Number.isSafeInteger(value),
  flag: (value) => typeof value === 'boolean',
  'string[]': (value) => Array.isArray(value) && value.every(isText),
  texts: (value) => typeof value === 'object' && value !== null && Object.values(value).every(isText),
};

/** The parameters of a table, each of its kind; what the table does not name is left out. Throws an Error that names the wrong one. */
export function checkedParameters(table: ParameterTable, given: unknown): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error('params must be an object');
  const checked: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(table)) {
    const value: unknown = Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined;
    const isOptional = kind.endsWith('?');
    if (value === undefined || value === null) {
      if (!isOptional) throw new Error(`"${name}" is missing`);
      continue;
    }
    const plain = (isOptional ? kind.slice(0, -1) : kind) as Kind;
    if (!fits[plain](value)) throw new Error(`"${name}" must be of kind ${plain}`);
    checked[name] = value;
  }
  return checked;
}
