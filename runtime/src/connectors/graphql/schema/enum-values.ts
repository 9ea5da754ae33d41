import { type GraphQLEnumType, GraphQLError } from 'graphql';
import type { EnumValues } from './enums.ts';

/**
 * Makes the values of an enum those of the configuration: what callers send arrives as these, and what flows answer may
 * be these or the names of the schema.
 */
export function adoptEnum(type: GraphQLEnumType, values: EnumValues | undefined): void {
  const names = new Map<string, string>();
  for (const each of type.getValues()) {
    if (values?.has(each.name)) each.value = values.get(each.name);
    names.set(each.name, each.name);
  }
  // After the names: where a value of the configuration is the name of another one, it is the value.
  for (const each of type.getValues()) names.set(String(each.value), each.name);
  type.serialize = (value) => {
    const name =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
        ? names.get(String(value))
        : undefined;
    if (name !== undefined) return name;
    throw new GraphQLError(
      `${type.name} has no value ${typeof value === 'object' ? 'that is an object' : String(value)}`,
    );
  };
}
