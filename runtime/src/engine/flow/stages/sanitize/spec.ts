import { block, int, list, oneOf, size, text } from '@svc/protocol/schema';
import { abi, moduleFileDoc, moduleLimits } from '../../module-spec.ts';

const limits = {
  max_input_length: size('Largest JSON form of a whole message, uploads aside.', { min: 1 }),
  max_field_length: size('Largest text in a message, uploads aside.', { min: 1 }),
};

export const security = block({
  doc: 'Limits of every message of every source. They apply without this block too, with the defaults.',
  attributes: {
    max_input_length: size('Largest JSON form of a whole message, uploads aside.', { default: 1_048_576, min: 1 }),
    max_field_length: size('Largest text in a message, uploads aside.', { default: 65_536, min: 1 }),
    max_field_depth: int('Deepest nesting of objects and lists.', { default: 20, min: 1 }),
    allowed_control_chars: list(
      'Control characters that texts may hold; every other one is refused.',
      oneOf('A control character.', ['tab', 'newline', 'cr', 'backspace', 'form_feed'], {
        synonyms: { lf: 'newline', carriage_return: 'cr' },
      }),
      { default: ['tab', 'newline', 'cr'] },
    ),
  },
  blocks: {
    flow: block({
      doc: 'Other limits for one flow.',
      label: { name: 'name', doc: 'Name of the flow.' },
      repeated: true,
      attributes: {
        ...limits,
        sanitizers: list(
          'The sanitizers that its messages are given to, in this order, whatever flows these name. Absent: those that name the flow.',
          text('Name of a sanitizer.'),
        ),
      },
    }),
    sanitizer: block({
      doc: 'A module that changes or refuses messages, after the limits and before anything else looks at them. A message for which it fails is refused.',
      label: { name: 'name', doc: 'Name of the sanitizer.' },
      repeated: true,
      attributes: {
        source: oneOf('What does it.', ['wasm'], { default: 'wasm' }),
        wasm: text(moduleFileDoc, { required: true, example: '"./modules/strip-html.wasm"' }),
        entrypoint: text(
          'The function that the module exports. It is given the JSON of the message or of the field and answers the JSON that takes its place, or `{"error": "…"}`, which refuses the message.',
          { default: 'sanitize' },
        ),
        abi,
        apply_to: list(
          'The flows whose messages it is given, by patterns of their names. Absent: all.',
          text('A pattern.'),
          {
            example: '["public_*"]',
          },
        ),
        fields: list(
          'The fields of the message that it is given, one by one. Absent: the message as a whole, files aside.',
          text('Name of a field.'),
          { example: '["title", "body"]' },
        ),
        ...moduleLimits,
      },
      example:
        'sanitizer "strip_html" {\n  wasm     = "./modules/strip-html.wasm"\n  apply_to = ["public_*"]\n  fields   = ["body"]\n}',
    }),
  },
  example: 'security {\n  max_field_length = "256KB"\n}',
});
