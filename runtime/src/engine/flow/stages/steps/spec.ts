import { argument, block, cel, duration, oneOf, reference, text, value } from '@svc/protocol/schema';
import { carriedByStep } from '../../../../connectors/core/words-spec.ts';

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
    target: argument('Table or path.', { reads, refersTo: 'operation', atConnector: true }),
    params: argument('Parameters: an object, or a list for `?` placeholders.', {
      reads,
      keys: 'parameters',
      waits: true,
    }),
    body: argument('Payload of a call or write.', { reads, waits: true }),
    when: cel('The connector is asked only when this is true.', { reads, gives: 'bool', waits: true }),
    timeout: duration('Longest time the step may take.', { min: 1 }),
    on_error: oneOf(
      'When it fails: `fail` fails the flow, `skip` continues with `default` or an empty result, `default` continues with `default`.',
      ['fail', 'skip', 'default'],
      { default: 'fail' },
    ),
    default: value('The result when nothing was found, when `when` is false, or as set by `on_error`.'),
  },
  rules: [
    { rule: 'requiredWhen', name: 'default', when: 'on_error', is: ['default'] },
    { rule: 'atLeastOneOf', names: ['operation', 'query', 'target'] },
  ],
  dependent: { by: 'connector', at: 'step', reads, shared: carriedByStep },
  example:
    'step "user" {\n  connector = "db"\n  query     = "SELECT * FROM users WHERE id = :id"\n  params    = { id = "input.user_id" }\n}',
});
