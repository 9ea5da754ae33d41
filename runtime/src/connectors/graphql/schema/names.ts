/** Names of types that a generated schema takes itself, so that no `type` block can have them. */
const taken = new Set([
  'Query',
  'Mutation',
  'Subscription',
  'String',
  'Int',
  'Float',
  'Boolean',
  'ID',
  'JSON',
  'DateTime',
  'Date',
  'Time',
  'Email',
  'URL',
  'UUID',
  'PositiveInt',
  'NonNegativeInt',
  '_Any',
  '_Entity',
  '_Service',
]);

const written = /^[_A-Za-z][_0-9A-Za-z]*$/;

/** Why a schema cannot have a type of this name, or undefined. */
export function typeNameProblem(name: string): string | undefined {
  return taken.has(name) ? 'is a name that the schema has already' : nameProblem(name);
}

/** Why a schema cannot have a field of this name, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (!written.test(name)) return 'is not a name of GraphQL, which has letters, digits and underscores alone';
  return name.startsWith('__') ? 'begins with two underscores, which GraphQL keeps for itself' : undefined;
}

/** `order_status` and `order-status` as `OrderStatus`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^0-9A-Za-z]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

/** The name of an allowed value in its enum: `in progress` is `IN_PROGRESS`, `1` is `_1`. */
export function enumValueName(value: unknown): string {
  const plain = String(value).toUpperCase().replace(/\W/gu, '_').replace(/^__+/, '_');
  return plain === '' || /^\d/.test(plain) ? `_${plain}` : plain;
}

/** The input of a type. */
export function inputName(type: string): string {
  return `${type}Input`;
}

/** The type of a field that has fields of its own. */
export function nestedName(owner: string, field: string): string {
  return `${owner}_${field}`;
}
