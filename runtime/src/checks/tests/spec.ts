import { block, cel, flag, int, lifetime, list, map, marked, oneOf, text, value } from '@svc/protocol/schema';

/** What expressions of a mock read of a call. */
const call = ['input', 'operation', 'target', 'query'];
/** What expressions of an expectation read. */
const run = ['input', 'output', 'value'];

const connectorLabel = { name: 'connector', doc: 'The connector that is asked.', refersTo: 'connector' } as const;

const auth = block({
  doc: 'Who sends the message; without it the caller is anonymous.',
  asAttribute: true,
  attributes: {
    user_id: text('`auth.user_id`.', { default: '' }),
    email: text('`auth.email`.', { default: '' }),
    roles: list('`auth.roles`.', text('A role.'), { default: [] }),
    claims: map('`auth.claims`: what the token says.', value('A claim.'), { default: {} }),
    mfa: lifetime(
      'How long ago the caller proved a second factor, for `require { mfa = … }`. Without it none was proved.',
      { min: 0 },
    ),
  },
});

const mock = block({
  doc: 'Answers calls of a connector. Mocks are tried in written order; the first that matches answers.',
  label: connectorLabel,
  repeated: true,
  attributes: {
    operation: text('Only calls of this operation: `INSERT`, `POST /orders`, or a named operation of the connector.'),
    target: text('Only calls of this table, path or queue.'),
    when: cel('Only calls for which this is true. `input` is what the call is given.', {
      reads: call,
      gives: 'bool',
      example: '"input.id == 1"',
    }),
    result: marked(
      'The answer: rows of a database, the body of a call. What a write gives beside rows is `{ id, affected }`.',
      { reads: call, example: '[{ id = 1, name = cel("input.name") }]' },
    ),
    file: text('A JSON file with the answer; relative to the configuration directory.', { namesFile: 'read' }),
    error: text('The call fails: with this code of a failure, such as `connector_timeout`, or with this message.'),
    status: int('The status that the failing call answers.', { min: 100, max: 599 }),
    times: int('Calls that it answers; then the next one that matches does.', { min: 1 }),
  },
  rules: [
    { rule: 'exactlyOneOf', names: ['result', 'file', 'error'] },
    { rule: 'together', name: 'status', needs: ['error'] },
  ],
});

const expectedCall = block({
  doc: 'A call that the flow makes.',
  label: connectorLabel,
  repeated: true,
  attributes: {
    operation: text('`INSERT`, `POST /orders`, or a named operation of the connector.'),
    target: text('The table, path or queue.'),
    params: marked('What the call is given: filters, fields and parameters. What is not named may have any value.', {
      reads: run,
    }),
    times: int(
      'Calls of this kind, neither more nor less; without it there is at least one. 0: the flow makes no such call.',
      {
        min: 0,
      },
    ),
  },
});

const expect = block({
  doc: 'The expected result. A flow that fails passes only where `error`, `status` or `disposition` say so.',
  required: true,
  attributes: {
    output: marked('The whole answer, as JSON.', { reads: run, example: '{ id = cel("value > 0"), status = "open" }' }),
    output_has: marked('Part of the answer: objects may have more fields, lists have exactly these elements.', {
      reads: run,
    }),
    status: int('Status of the answer to a request.', { min: 100, max: 599 }),
    disposition: oneOf('How the message is settled: a `reply` to a request, or how a queue settles it.', [
      'reply',
      'ack',
      'reject',
      'requeue',
      'error',
    ]),
    dropped: oneOf('Which gate dropped the message; `true`: any, `false`: no gate.', [
      'true',
      'false',
      'filter',
      'accept',
      'dedupe_match',
      'sequence_older',
      'coordinate_timeout',
    ]),
    error: text('The code of the failure, or a part of its message.'),
  },
  blocks: { call: expectedCall },
  rules: [
    {
      rule: 'atLeastOneOf',
      names: ['output', 'output_has', 'status', 'disposition', 'dropped', 'error', 'call'],
    },
    { rule: 'atMostOneOf', names: ['output', 'output_has'] },
  ],
});

/** The `test` block: one message through one flow, whose connectors are recorded. */
export const test = block({
  doc: 'Runs a flow once and compares its result with what is expected. No connector is opened; `svc test` runs it.',
  label: { name: 'name', doc: 'What is tested, as a sentence.' },
  repeated: true,
  attributes: {
    flow: text('The flow, or the saga.', { required: true, refersTo: 'flow', example: '"get_order"' }),
    input: value('The message.'),
    input_file: text('A JSON file with the message; relative to the configuration directory.', { namesFile: 'read' }),
    env: map('Environment variables that this test sees, over those of the process.', text('A value.'), {
      default: {},
    }),
    clock: text('The time at which the test begins; then only waiting lets time pass.', {
      default: '2026-01-01T00:00:00Z',
    }),
    seed: int('Decides what `uuid()` gives; equal seeds give equal values.', { default: 1 }),
    allow_real: flag('true lets calls that no mock answers go to the real connector.', { default: false }),
  },
  blocks: { auth, mock, expect },
  rules: [{ rule: 'atMostOneOf', names: ['input', 'input_file'] }],
  example:
    'test "an order is found" {\n  flow  = "get_order"\n  input = { id = "1" }\n  mock "db" {\n    result = [{ id = 1 }]\n  }\n  expect {\n    output = [{ id = 1 }]\n    call "db" {\n      target = "orders"\n      params = { id = "1" }\n    }\n  }\n}',
});
