import { argument, block, cel, duration, oneOf, reference, text, value } from '@svc/protocol/schema';
import { formatNames } from '../../../formats/format-spec.ts';

const reads = ['input', 'step', 'lock'];

export const step = block({
  doc: 'Asks a connector for something that later stages read as `step.<name>`. Steps run one after another.',
  label: { name: 'name', doc: 'Name of the result.' },
  result: 'step',
  repeated: true,
  attributes: {
    connector: reference('The connector that is asked.', 'connector', { required: true }),
    operation: text('What is asked (`GET /users/:id`, `INSERT`), or a named operation of the connector.', {
      refersTo: 'operation',
    }),
    query: text('SQL with `:name` parameters.'),
    target: argument('Table or path.', { reads, refersTo: 'operation' }),
    params: argument('Parameters: an object, or a list for `?` placeholders.', { reads, keys: 'parameters' }),
    body: argument('Payload of a call or write.', { reads }),
    format: oneOf('Codec of the request and the answer.', formatNames),
    envelope: text('Wraps the payload under this one key.'),
    when: cel('The connector is asked only when this is true.', { reads, gives: 'bool' }),
    timeout: duration('Longest time the step may take.', { min: 1 }),
    on_error: oneOf(
      'When it fails: `fail` fails the flow, `skip` goes on with `default` or an empty result, `default` goes on with `default`.',
      ['fail', 'skip', 'default'],
      { default: 'fail' },
    ),
    default: value('The result when nothing was found, when `when` is false, or as `on_error` says.'),
  },
  blocks: {
    headers: block({
      doc: 'Headers of the request; they win over those of the connector. Null sends none.',
      asAttribute: true,
      fields: cel('Value of one header.', { reads }),
    }),
  },
  rules: [
    { rule: 'requiredWhen', name: 'default', when: 'on_error', is: ['default'] },
    { rule: 'atLeastOneOf', names: ['operation', 'query', 'target'] },
  ],
  example:
    'step "user" {\n  connector = "db"\n  query     = "SELECT * FROM users WHERE id = :id"\n  params    = { id = "input.user_id" }\n}',
});
