import type { DeclaredField, DeclaredType } from '../../../foundation/contracts/types.ts';
import type { Described } from './described.ts';
import { Enums } from './enums.ts';
import { type Annotations, noAnnotations } from './federation/annotations.ts';
import { InputTypes } from './inputs.ts';
import { enumValueName, inputName, nestedName } from './names.ts';
import { braced, describing, member } from './text.ts';

/** A definition of the schema. */
export interface Definition {
  readonly name: string;
  readonly text: string;
}

/** A field that a flow resolves, in place of what the type says of it. */
export type FieldTexts = ReadonlyMap<string, string>;

const formats: Readonly<Record<string, string>> = {
  email: 'Email',
  url: 'URL',
  uuid: 'UUID',
  date: 'Date',
  datetime: 'DateTime',
};

/** How an object is written. */
interface Written {
  readonly kind: 'type' | 'interface';
  /** What is behind its name. */
  readonly suffix: string;
  /** The `type` block that it is from. */
  readonly outer: DeclaredType;
}

/** Writes the `type` blocks of a configuration as objects and inputs. */
export class TypeWriter {
  readonly enums = new Enums();
  /** Scalars that fields have, beside those that every schema has. */
  readonly scalars = new Set<string>();
  readonly objects: Definition[] = [];
  readonly sent: Definition[] = [];
  readonly inputs: InputTypes;
  readonly #interfaces: ReadonlySet<string>;
  readonly #annotations: Annotations;

  constructor(
    types: readonly DeclaredType[],
    annotations: Annotations = noAnnotations,
    bindings: readonly Described[] = [],
  ) {
    this.inputs = new InputTypes(types, bindings);
    this.#interfaces = new Set(types.flatMap(({ federation }) => federation.implements));
    this.#annotations = annotations;
    // In the order of types, so that flows have no part in how enums are named.
    for (const { name, fields } of types) this.#nameEnums(name, fields);
  }

  /** Adds a type with the fields that flows resolve. */
  add(type: DeclaredType, resolved: FieldTexts = new Map()): void {
    const { name, description, fields, federation } = type;
    const kept = federation.implements.length === 0 ? '' : ` implements ${federation.implements.join(' & ')}`;
    const isInterface = this.#interfaces.has(name);
    this.#write(name, description ?? `The type ${name}.`, fields, resolved, {
      kind: isInterface ? 'interface' : 'type',
      suffix: kept + this.#annotations.ofType(type, isInterface),
      outer: type,
    });
  }

  /** The type of a field in answers; with `!` where it must be there. */
  outputOf(owner: string, field: DeclaredField): string {
    const name = this.#named(owner, field, (type) => type);
    return field.constraints.required && field.constraints.external !== true ? `${name}!` : name;
  }

  /** The type of a field, or of an argument that is like it, in what is sent: never required. */
  inputOf(owner: string, field: DeclaredField): string {
    return this.#named(owner, field, (type) => this.inputs.nameOf(type));
  }

  /** A field that is sent: one that is checked and must be there must be sent, unless it has a default. */
  #sentOf(owner: string, field: DeclaredField, isChecked: boolean): string {
    const { required, default: given } = field.constraints;
    const text = `${field.name}: ${this.inputOf(owner, field)}`;
    if (!isChecked) return text;
    const isEnum = (field.constraints.enum?.length ?? 0) > 0;
    if (given !== undefined && given !== null && typeof given !== 'object')
      return `${text} = ${isEnum ? enumValueName(given) : JSON.stringify(given)}`;
    return required && given === undefined ? `${text}!` : text;
  }

  #nameEnums(owner: string, fields: readonly DeclaredField[]): void {
    for (const { name, shape, constraints } of fields) {
      const { enum: values } = constraints;
      if (values !== undefined && values.length > 0) this.enums.nameOf(owner, name, values);
      if (shape.kind === 'fields') this.#nameEnums(nestedName(owner, name), shape.fields);
    }
  }

  #write(
    name: string,
    description: string,
    fields: readonly DeclaredField[],
    resolved: FieldTexts,
    { kind, suffix, outer }: Written,
  ): void {
    const output = fields.map((field) => {
      const text = resolved.get(field.name) ?? `${field.name}: ${this.outputOf(name, field)}`;
      return member(text + this.#annotations.ofField(field), field.constraints.description);
    });
    const declared = new Set(fields.map((field) => field.name));
    for (const [field, text] of resolved) if (!declared.has(field)) output.push(member(text, undefined));
    const input = fields
      .filter(({ constraints }) => constraints.external !== true)
      .map((field) =>
        member(this.#sentOf(name, field, this.inputs.isChecked(outer.name)), field.constraints.description),
      );
    const isSent = this.inputs.isSent(outer.name);
    if (!isSent)
      this.objects.push({
        name,
        text: describing(description) + braced(kind, name, suffix, orPlaceholder(output)),
      });
    const own = name === outer.name ? this.inputs.nameOf(name) : inputName(name);
    if (name !== outer.name || !this.inputs.isDeclared(name))
      this.sent.push({
        name: own,
        text:
          describing(isSent ? description : `What is sent of ${name}.`) +
          braced('input', own, '', orPlaceholder(input)),
      });
    for (const field of fields)
      if (field.shape.kind === 'fields')
        this.#write(
          nestedName(name, field.name),
          field.constraints.description ?? `The field ${field.name} of ${name}.`,
          field.shape.fields,
          new Map(),
          { kind: 'type', suffix: this.#annotations.ofNested(outer), outer },
        );
  }

  #named(owner: string, { name, shape, constraints }: DeclaredField, ofType: (type: string) => string): string {
    const { enum: values, format } = constraints;
    if (values !== undefined && values.length > 0) return this.enums.nameOf(owner, name, values);
    switch (shape.kind) {
      case 'string':
        return this.#scalar(format === undefined ? 'String' : (formats[format] ?? 'String'));
      case 'number':
        return isIntegral(constraints.min) || isIntegral(constraints.max) ? 'Int' : 'Float';
      case 'integer':
        return 'Int';
      case 'boolean':
        return 'Boolean';
      case 'id':
        return 'ID';
      case 'array':
        return this.#elements(constraints.items, ofType);
      case 'object':
        return 'JSON';
      case 'type':
        return ofType(shape.type);
      case 'fields':
        return ofType(nestedName(owner, name));
    }
  }

  #elements(items: string | undefined, ofType: (type: string) => string): string {
    if (items === undefined) return '[JSON]';
    const plain = elements[items];
    return `[${plain ?? `${ofType(items)}!`}]`;
  }

  #scalar(name: string): string {
    if (name !== 'String') this.scalars.add(name);
    return name;
  }
}

/** Elements of arrays by what `items` says; of arrays and objects nothing more is known. */
const elements: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  string: 'String!',
  number: 'Float!',
  integer: 'Int!',
  boolean: 'Boolean!',
  id: 'ID!',
  array: 'JSON',
  object: 'JSON',
});

function isIntegral(bound: number | undefined): boolean {
  return bound !== undefined && Number.isInteger(bound);
}

/** GraphQL has no type without fields. */
function orPlaceholder(members: readonly string[]): readonly string[] {
  return members.length > 0 ? members : [member('_empty: String', 'Nothing: the type declares no fields.')];
}
