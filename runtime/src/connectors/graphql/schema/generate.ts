import type { Binding } from '../../../contracts/source.ts';
import type { Declarations, DeclaredField, DeclaredType, ReturnShape } from '../../../contracts/types.ts';
import { parseField } from '../operation.ts';

/** What the schema of a configuration is generated from. */
export type Described = Pick<Binding, 'operation' | 'returns' | 'asked'>;

/** The schema (SDL) of the types and flows of a configuration. */
export function generateSchema(bindings: readonly Described[], { types, sent }: Declarations): string {
  const known = new Set(types.map(({ name }) => name));
  const roots = new Map<string, Map<string, string>>([['Query', new Map()]]);
  const add = (operation: string | undefined, text: (field: string, type: string) => string) => {
    const parsed = parseField(operation ?? '');
    if (parsed === undefined) return;
    const fields = roots.get(parsed.type) ?? new Map<string, string>();
    roots.set(parsed.type, fields);
    if (!fields.has(parsed.field)) fields.set(parsed.field, text(parsed.field, parsed.type));
  };
  for (const binding of bindings)
    add(binding.operation, (field, type) => fieldText(field, type, binding, types, known));
  for (const { operation, returns } of sent)
    add(operation, (field) => `${field}: ${returns === undefined ? 'JSON' : typeText(returns, known)}`);
  if (roots.get('Query')?.size === 0) roots.get('Query')?.set('_empty', '_empty: String');
  const extended = [...roots].filter(([name]) => known.has(name));
  return [
    ...types.flatMap((type) => objectAndInput(type, known)),
    ...[...roots]
      .filter(([name]) => !known.has(name))
      .map(([name, fields]) => blockText('type', name, fields.values())),
    ...extended.map(([name, fields]) => blockText('extend type', name, fields.values())),
  ].join('\n\n');
}

function blockText(kind: string, name: string, lines: Iterable<string>): string {
  return `${kind} ${name} {\n${[...lines].map((line) => `  ${line}`).join('\n')}\n}`;
}

function fieldText(
  field: string,
  type: string,
  { returns, asked = [] }: Described,
  types: readonly DeclaredType[],
  known: ReadonlySet<string>,
): string {
  if (returns === undefined) return `${field}(input: JSON): ${type === 'Query' ? '[JSON]' : 'JSON'}`;
  const returned = types.find(({ name }) => name === returns.type);
  const args = asked.map((name) => {
    const like = returned?.fields.find((each) => each.name === name);
    return `${name}: ${like === undefined ? 'String' : outputType(like, known)}`;
  });
  if (args.length === 0)
    args.push(type === 'Mutation' && returned !== undefined ? `input: ${returned.name}Input` : 'input: JSON');
  return `${field}(${args.join(', ')}): ${typeText(returns, known)}`;
}

function typeText({ type, scalar, list, nullable, nullableElements }: ReturnShape, known: ReadonlySet<string>): string {
  const name = scalar || known.has(type) ? type : 'JSON';
  if (!list) return nullable ? name : `${name}!`;
  return `[${name}${nullableElements ? '' : '!'}]${nullable ? '' : '!'}`;
}

function objectAndInput({ name, fields }: DeclaredType, known: ReadonlySet<string>): string[] {
  const output = fields.map(
    (field) => `${field.name}: ${outputType(field, known)}${field.constraints.required ? '!' : ''}`,
  );
  const input = fields.map((field) => `${field.name}: ${inputType(field, known)}`);
  return [blockText('type', name, output), blockText('input', `${name}Input`, input)];
}

function outputType({ shape, constraints }: DeclaredField, _known: ReadonlySet<string>): string {
  switch (shape.kind) {
    case 'string':
      return 'String';
    case 'number':
      return 'Float';
    case 'integer':
      return 'Int';
    case 'boolean':
      return 'Boolean';
    case 'id':
      return 'ID';
    case 'array':
      return '[JSON]';
    case 'type':
      return shape.type;
    default:
      return constraints.required ? 'JSON' : 'JSON';
  }
}

function inputType(field: DeclaredField, known: ReadonlySet<string>): string {
  return field.shape.kind === 'type' ? `${field.shape.type}Input` : outputType(field, known);
}
