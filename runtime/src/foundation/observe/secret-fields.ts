/** By message: the fields of its input that hold credentials under names that do not say so. */
const known = new WeakMap<object, readonly string[]>();

const nothing: readonly string[] = Object.freeze([]);

/** Says of a message that what these fields hold is not shown where fields named like credentials are not. */
export function keepSecret(message: object, fields: readonly string[]): void {
  known.set(message, fields);
}

/** The fields of the input of a message that were kept secret; empty for most. */
export function secretFieldsOf(message: object | undefined): readonly string[] {
  return (message === undefined ? undefined : known.get(message)) ?? nothing;
}
