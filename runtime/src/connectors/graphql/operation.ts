import { verbOfName } from '../core/verb-of-name.ts';

/** What a flow names of a GraphQL schema: a field of a root type, or of any other object type. */
export interface FieldOperation {
  /** `Query`, `Mutation`, `Subscription`, or the name of another type. */
  readonly type: string;
  readonly field: string;
}

export const rootTypes = ['Query', 'Mutation', 'Subscription'] as const;

const written = /^([A-Za-z_]\w*)\.([A-Za-z_]\w*)$/;

/** Reads `Query.order`; undefined when it is malformed. Names that begin with `__` belong to GraphQL. */
export function parseField(operation: string): FieldOperation | undefined {
  const [, type, field] = written.exec(operation.trim()) ?? [];
  if (type === undefined || field === undefined) return undefined;
  return type.startsWith('__') || field.startsWith('__') ? undefined : { type, field };
}

/** Why an operation of a server is malformed, or undefined. */
export function checkField(operation: string): string | undefined {
  if (parseField(operation) !== undefined) return undefined;
  return `must name a field, such as "Query.order", "Mutation.create_order" or "Subscription.order_changed"`;
}

/** What a flow of a field does: a mutation by the first word of its name (`createOrder`, `create_order`), else it creates. */
export function verbOfField(operation: string | undefined): 'read' | 'create' | 'update' | 'delete' {
  const parsed = parseField(operation ?? '');
  if (parsed?.type !== 'Mutation') return 'read';
  const verb = verbOfName(parsed.field);
  return verb === undefined || verb === 'read' ? 'create' : verb;
}
