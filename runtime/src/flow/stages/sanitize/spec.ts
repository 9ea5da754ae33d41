import { block, int, list, oneOf, size } from '@svc/protocol/schema';

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
      attributes: limits,
      unavailable: ['sanitizers'],
    }),
  },
  unavailable: ['sanitizer'],
  example: 'security {\n  max_field_length = "256KB"\n}',
});
