import { block, expression, list, text, type Vocabulary } from '@svc/protocol/schema';
import { abi } from '../flow/module-spec.ts';
import { functionAttributes } from './spec.ts';

const wasm = text('The module, relative to the folder of the plugin.', { required: true, example: '"geo.wasm"' });

/** What a plugin is. */
export const manifestPlugin = block({
  doc: 'Name and version of a plugin.',
  attributes: {
    name: text('Name of the plugin.', {
      required: true,
      pattern: { source: '^[a-z][a-z0-9_-]{0,63}$', says: 'must be lower-case letters, digits, - and _' },
    }),
    version: text('Its version (https://semver.org).', { required: true, example: '"1.2.0"' }),
    description: text('What it is for.'),
    author: text('Who made it.'),
    icon: text('Its icon: a file of the folder of the plugin (SVG, 32 KiB), made of shapes and colours alone.', {
      pattern: { source: '\\.svg$', says: 'must be a file that ends in .svg' },
      example: '"icon.svg"',
    }),
    license: text('Under which licence it may be used.'),
  },
});

/** Fields of the block of a connector: `string`, `number` or `bool`, with what is said of each in brackets. */
const config = block({
  doc: 'What the block of such a connector may say. Each attribute is one field: `string`, `number` or `bool`, with `required`, `default`, `sensitive` and `description` in brackets. Without this block it may say anything.',
  fields: expression('A field: `string({ required = true, sensitive = true })`.'),
});

const named = (doc: string) => ({ name: 'name', doc });

/** What a plugin adds. */
export const manifestProvides = block({
  doc: 'What the plugin adds to the language.',
  attributes: {},
  blocks: {
    connector: block({
      doc: 'A type of connectors. Its module exports what calls ask for: `read`, `write`, `call`; and `init`, `health`, `close`, as it needs them.',
      label: named('The type.'),
      repeated: true,
      attributes: { wasm, abi, description: text('What it connects to.') },
      blocks: { config },
    }),
    functions: block({
      doc: 'Functions of expressions.',
      attributes: { wasm, ...functionAttributes },
    }),
    validator: block({
      doc: 'A check of one value that types use by name.',
      label: named('Name that `validator = "…"` uses.'),
      repeated: true,
      attributes: {
        wasm,
        entrypoint: text('The exported function. Absent: `validate_` and the name.'),
        message: text('What the caller reads when the value is refused.'),
      },
    }),
    sanitizer: block({
      doc: 'Changes or refuses messages before anything else looks at them.',
      label: named('Name of the sanitizer.'),
      repeated: true,
      attributes: {
        wasm,
        abi,
        entrypoint: text('The exported function.', { default: 'sanitize' }),
        apply_to: list(
          'The flows whose messages it is given, by patterns of their names. Absent: all.',
          text('A pattern.'),
        ),
        fields: list('The fields of the message that it is given, one by one. Absent: the message.', text('A field.')),
      },
    }),
  },
});

/** What may be written in a manifest. */
export const manifestVocabulary: Vocabulary = {
  blocks: { plugin: manifestPlugin, provides: manifestProvides },
  connectors: [],
  profiled: block({ doc: '' }),
  everyProfile: block({ doc: '' }),
  unavailable: { blocks: [], connectors: [] },
};
