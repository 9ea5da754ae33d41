import {
  block,
  cel,
  expression,
  flag,
  float,
  int,
  list,
  oneOf,
  reference,
  text,
  type Values,
  value,
} from '@svc/protocol/schema';
import { moduleFileDoc, moduleLimits } from '../../module-spec.ts';
import { fieldInWords } from './in-words.ts';

export const validate = block({
  doc: 'Checks what comes in and what goes out against types.',
  attributes: {
    input: reference('Type of the message; a message that does not match is answered with 400.', 'type', {
      tells: 'input',
    }),
    output: reference('Type of the answer; an answer that does not match fails the flow.', 'type'),
  },
  rules: [{ rule: 'atLeastOneOf', names: ['input', 'output'] }],
  example: 'validate {\n  input  = "order"\n  output = "order_view"\n}',
});

export const fieldTypes = ['string', 'number', 'integer', 'boolean', 'id', 'array', 'object'] as const;

export const fieldFormats = ['email', 'url', 'uuid', 'date', 'datetime', 'phone', 'ip'] as const;

/** What may be written in the brackets of a field: `string({ max_length = 30 })`. */
export const constraints = block({
  doc: 'Constraints of one field of a type.',
  attributes: {
    required: flag('false: the field may be absent or null.', { default: true }),
    format: oneOf('Form of a text.', fieldFormats),
    pattern: text('Regular expression (RE2) that a text must contain a match of.', { example: '"^[A-Z]{2}$"' }),
    min_length: int('Fewest characters of a text, or elements of an array.', { min: 0 }),
    max_length: int('Most characters of a text, or elements of an array.', { min: 0 }),
    min: float('Smallest number.'),
    max: float('Largest number.'),
    enum: list('The complete set of allowed values.', value('One allowed value.')),
    validator: reference('A validator block that the value must pass.', 'validator'),
    items: text('Type of the elements of an array: one of the field types, or the name of a type.', {
      refersTo: 'type',
    }),
    default: value(
      'The value of a field that is absent from a message. It is filled in before the message is checked; answers are left as they are.',
    ),
    description: text('What the field means; published in exports.'),
    external: flag(
      'Another service of a federation answers the field; it is known here to be read, never required and never sent.',
      { aliases: ['_external'] },
    ),
    provides: list('Fields of its object that are answered together with it.', text('A field.'), {
      aliases: ['_provides'],
      example: '"name"',
    }),
    requires: list('External fields that the flow of the field reads.', text('A field.'), {
      aliases: ['_requires'],
      example: '["weight", "size"]',
    }),
    shareable: flag('Other services of a federation may answer the field too.', { aliases: ['_shareable'] }),
    inaccessible: flag('The field is hidden from callers of a federation.', { aliases: ['_inaccessible'] }),
    override: text('The service of a federation that answered the field until now.', {
      aliases: ['_override'],
      example: '"products"',
    }),
  },
});

export const type = block({
  doc: 'Describes the fields of a message or an answer.',
  label: { name: 'name', doc: 'Name that `validate` and other types use.' },
  repeated: true,
  attributes: {
    _description: text('What the type means; published in exports.'),
    _key: list(
      'Fields by which other services of a federation refer to an object: one text for each key, with a space between the fields of one.',
      text('The fields of a key.'),
      { example: '"id"' },
    ),
    _shareable: flag('Other services of a federation may answer its fields too.'),
    _inaccessible: flag('The type is hidden from callers of a federation.'),
    _implements: list(
      'Types whose fields this one has too. They are published as interfaces, as which it can be answered.',
      reference('A type.', 'type'),
      { example: '["node"]' },
    ),
  },
  fields: expression(
    'A field: `string`, `number`, `integer`, `boolean`, `id`, `array` or `object`, with constraints in brackets (`string({ format = "email", required = false })`); the name of another type in quotes; or an object of fields.',
    { words: fieldTypes, constraints: constraints.attributes, refersTo: 'type', inWords: fieldInWords },
  ),
  example:
    'type "member" {\n  email    = string({ format = "email" })\n  nickname = string({ required = false, max_length = 30 })\n  address  = "address"\n}',
});

export const validator = block({
  doc: 'A check of one value that types use by name.',
  label: { name: 'name', doc: 'Name that `validator = "…"` uses.' },
  repeated: true,
  attributes: {
    type: oneOf('How the value is checked.', ['regex', 'cel', 'wasm'], { required: true }),
    pattern: text('Regular expression (RE2) that the text must contain a match of.'),
    expr: cel('True when the value is valid.', { reads: ['value'], gives: 'bool', decides: true }),
    wasm: text(moduleFileDoc, { example: '"./modules/tax.wasm"' }),
    entrypoint: text(
      'The function that the module exports. It is given `{"value": …}` and answers 1 for a valid value, 0 for another. Absent: `validate`.',
    ),
    ...moduleLimits,
    message: text('What the caller reads when the value is refused.'),
  },
  rules: [
    { rule: 'requiredWhen', name: 'pattern', when: 'type', is: ['regex'] },
    { rule: 'requiredWhen', name: 'expr', when: 'type', is: ['cel'] },
    { rule: 'requiredWhen', name: 'wasm', when: 'type', is: ['wasm'] },
    { rule: 'atMostOneOf', names: ['pattern', 'expr', 'wasm'] },
    ...['entrypoint', ...Object.keys(moduleLimits)].map(
      (name) => ({ rule: 'onlyWhen', name, when: 'type', is: ['wasm'] }) as const,
    ),
  ],
  example: 'validator "even" {\n  type    = "cel"\n  expr    = "value % 2 == 0"\n  message = "must be even"\n}',
});

/** A `type` block. */
export interface TypeModel {
  readonly name: string;
  readonly description: string | undefined;
  readonly fields: readonly FieldModel[];
  readonly federation: FederationModel;
}

/** What a federation of services reads of a type (https://specs.apollo.dev/federation/v2.0). */
export interface FederationModel {
  readonly keys: readonly string[];
  readonly shareable: boolean;
  readonly inaccessible: boolean;
  readonly implements: readonly string[];
}

/** What a field may be: one of the field types, another type by name, or fields of its own. */
export type FieldShape =
  | { readonly kind: (typeof fieldTypes)[number] }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'fields'; readonly fields: readonly FieldModel[] };

export interface FieldModel {
  readonly name: string;
  readonly shape: FieldShape;
  /** As written in the brackets, in written order of `order`. */
  readonly constraints: Constraints;
  /** Names of the written constraints, in written order. */
  readonly order: readonly string[];
}

export type Constraints = Values<typeof constraints>;
