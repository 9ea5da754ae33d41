import { block, duration, flag, float, int, list, oneOf, reference, text, value } from '@svc/protocol/schema';

/** `param "name"` of a named operation. */
export const param = block({
  doc: 'Declares a parameter of the operation: defaults are filled and constraints checked before the flow runs.',
  label: { name: 'name', doc: 'Name of the parameter in `input`.' },
  repeated: true,
  attributes: {
    type: oneOf(
      'Declared type; a value that converts to it is accepted.',
      ['string', 'number', 'integer', 'boolean', 'array', 'object'],
      {
        default: 'string',
        synonyms: { int: 'integer', float: 'number', bool: 'boolean', list: 'array', map: 'object' },
      },
    ),
    required: flag('Refuse the request when the parameter is absent and has no default.', { default: false }),
    default: value('Used when the caller does not supply the parameter, or supplies null or an empty text.'),
    description: text('What the parameter means; published in exports.'),
    in: oneOf('Where the parameter is taken from.', ['path', 'query', 'header', 'body']),
    min: float('Smallest number.'),
    max: float('Largest number.'),
    min_length: int('Fewest characters of a text, or elements of an array.', { min: 0 }),
    max_length: int('Most characters of a text, or elements of an array.', { min: 0 }),
    pattern: text('Regular expression (RE2) that a text must contain a match of.', { example: '"^[A-Z]{2}$"' }),
    enum: list('The complete set of allowed values.', value('One allowed value.')),
  },
});

/** What every connector may say, whatever its type; `...everyConnector.attributes` is part of each spec. */
export const everyConnector = block({
  doc: 'What every connector may say.',
  attributes: {
    health: oneOf(
      'What an unhealthy connector does to the service: `required` makes it unhealthy and not ready, `optional` only degraded.',
      ['required', 'optional'],
      { default: 'required' },
    ),
  },
});

/** What every `operation "name"` block may say, whatever its connector; connectors add their own attributes. */
export const operationAttributes = {
  description: text('What the operation does; published in exports.'),
  input: reference('Type that validates what goes in.', 'type', { tells: 'input' }),
  output: reference('Type that validates what comes back.', 'type'),
  timeout: duration('Longest time one execution may take.', { min: 1 }),
} as const;

export const operationLabel = { name: 'name', doc: 'The word that flows write in `operation`.' } as const;
