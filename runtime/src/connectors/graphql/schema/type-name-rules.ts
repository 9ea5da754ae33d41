import type { Published, PublishedPlace } from '../../../foundation/contracts/published.ts';
import type { DeclaredField } from '../../../foundation/contracts/types.ts';
import { equalValueNames } from './enums.ts';
import { inputName, nameProblem, nestedName, typeNameProblem } from './names.ts';
import type { Tell } from './published.ts';
import { TypeWriter } from './types.ts';

/** Types can be published: names that GraphQL takes, each once, also those that are made of them. */
export function checkTypeNames({ types, flows }: Published, tell: Tell): void {
  const names = new Names(tell);
  for (const { name } of types) names.known.set(name, `type "${name}"`);
  for (const { name, fields } of types) {
    const at = { of: 'type', name } as const;
    const problem = typeNameProblem(name);
    if (problem !== undefined)
      tell({
        code: 'unpublished-name',
        message: `type "${name}" ${problem}`,
        at,
        help: 'Rename the type: a server of GraphQL publishes every type under its name.',
      });
    const answered = flows.some(({ returns }) => returns?.type === inputName(name));
    // A type that is declared for it is the input, unless it is answered too.
    if (!types.some((each) => each.name === inputName(name)) || answered)
      names.claim(inputName(name), `the input of type "${name}"`, at);
    for (const field of fields) checkField(field, name, { ...at, field: field.name }, names, tell);
  }
  for (const name of new TypeWriter(types).enums.all.keys())
    names.claim(name, 'an enum that is made of a field', { of: 'type', name });
}

function checkField(field: DeclaredField, owner: string, at: PublishedPlace, names: Names, tell: Tell): void {
  const problem = nameProblem(field.name);
  if (problem !== undefined)
    tell({
      code: 'unpublished-name',
      message: `field "${field.name}" of "${owner}" ${problem}`,
      at,
      help: 'Rename the field: a server of GraphQL publishes it under its name.',
    });
  const { enum: values } = field.constraints;
  const [one, other, name] = (values && equalValueNames(values)) ?? [];
  if (name !== undefined)
    tell({
      code: 'equal-enum-values',
      message: `enum of field "${field.name}": "${String(one)}" and "${String(other)}" are both ${name} in the schema`,
      at,
      help: 'Write values that differ in more than case and punctuation.',
    });
  if (field.shape.kind !== 'fields') return;
  const nested = nestedName(owner, field.name);
  names.claim(nested, `field "${field.name}" of "${owner}"`, at);
  names.claim(inputName(nested), `the input of field "${field.name}" of "${owner}"`, at);
  for (const inner of field.shape.fields) checkField(inner, nested, at, names, tell);
}

/** Names of the schema with who has them. */
class Names {
  readonly known = new Map<string, string>();
  readonly #tell: Tell;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** Takes a name that is made of others; what has it already is reported. */
  claim(name: string, who: string, at: PublishedPlace): void {
    const other = this.known.get(name);
    if (other === undefined) {
      this.known.set(name, who);
      return;
    }
    this.#tell({
      code: 'unpublished-name',
      message: `${who} and ${other} are both ${name} in the schema`,
      at,
      help: 'Rename one of them.',
    });
  }
}
