import {
  type GraphQLAbstractType,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
  lexicographicSortSchema,
} from 'graphql';
import type { ResolveField } from './resolve-field.ts';

/**
 * The schema as documents are compiled against it: its fields take no arguments, since those of a place are read from
 * the document and never become part of compiled code, and its types are found without a throw. `bound` are the resolvers
 * that read their arguments at their place themselves.
 */
export function executableSchema(schema: GraphQLSchema, bound: ReadonlySet<unknown>): GraphQLSchema {
  // Copies every type; their order means nothing to an execution.
  const copy = lexicographicSortSchema(schema);
  for (const type of Object.values(copy.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isAbstractType(type)) type.resolveType = safeType(copy, type);
    else if (isObjectType(type)) {
      type.isTypeOf = undefined;
      for (const field of Object.values(type.getFields())) {
        const original = schema.getType(type.name);
        const declared = isObjectType(original) ? original.getFields()[field.name] : undefined;
        field.args = [];
        if (declared?.resolve === undefined) continue;
        if (bound.has(declared.resolve)) continue;
        const resolve = declared.resolve as unknown as ResolveField;
        const name = `${type.name}.${field.name}`;
        field.resolve = ((parent, _none, execution, info) =>
          resolve(
            parent,
            execution.places.at(info.path, name).args(execution.variables),
            execution,
            info,
          )) satisfies ResolveField as unknown as typeof field.resolve;
      }
    }
  }
  return copy;
}

/** The type of a value: what the schema says, the one that the value names, the only one. Undefined: not known. */
function safeType(schema: GraphQLSchema, type: GraphQLAbstractType): GraphQLAbstractType['resolveType'] {
  const own = type.resolveType;
  const possible = schema.getPossibleTypes(type);
  const names = new Set(possible.map(({ name }) => name));
  return (value, context, info) => {
    try {
      const found: unknown = own?.(value, context, info, type);
      if (typeof found === 'string') return names.has(found) ? found : undefined;
    } catch {
      return undefined;
    }
    const named = (value as Readonly<Record<string, unknown>>)['__typename'];
    if (typeof named === 'string') return names.has(named) ? named : undefined;
    return possible.length === 1 ? possible[0]?.name : undefined;
  };
}
