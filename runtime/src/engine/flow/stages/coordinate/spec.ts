import { argument, block, cel, duration, int, lifetime, oneOf, reference, text } from '@svc/protocol/schema';
import { storage } from '../../../../platform/sync/storage-spec.ts';

const wait = block({
  doc: 'The flow waits for a signal before it continues.',
  attributes: {
    when: cel('Only messages for which this is true wait.', {
      required: true,
      reads: ['input'],
      gives: 'bool',
      decides: true,
    }),
    for: cel('Name of the signal.', { required: true, reads: ['input'], gives: 'string', decides: true }),
  },
});

const signal = block({
  doc: 'The flow gives a signal when it has succeeded.',
  attributes: {
    when: cel('Only messages for which this is true give it.', {
      required: true,
      reads: ['input', 'output'],
      gives: 'bool',
    }),
    emit: cel('Name of the signal.', { required: true, reads: ['input', 'output'], gives: 'string' }),
    ttl: lifetime('How long the signal is kept; every message that waits for it in this time continues.', {
      default: 300_000,
      min: 1,
    }),
  },
});

const preflight = block({
  doc: 'Checks before waiting whether what is waited for exists already.',
  attributes: {
    connector: reference('The database that is asked.', 'connector', { required: true }),
    query: text('SQL with `:name` parameters.', { required: true }),
    params: argument('Parameters of the query.', { reads: ['input'], keys: 'parameters' }),
    if_exists: oneOf(
      'When a row is found: `pass` continues without waiting, `fail` fails the flow.',
      ['pass', 'fail'],
      {
        default: 'pass',
      },
    ),
  },
});

export const coordinate = block({
  doc: 'Makes messages wait for the effects of other messages. A message of one flow gives a signal, those of another wait for it.',
  reusable: true,
  definitionNeeds: ['storage'],
  attributes: {
    timeout: duration('Longest wait.', { default: 60_000, min: 1 }),
    on_timeout: oneOf(
      'When the signal does not come: `fail` fails the flow, `retry` waits again, `skip` and `pass` continue, `ack` drops the message.',
      ['fail', 'retry', 'skip', 'pass', 'ack'],
      { default: 'fail' },
    ),
    max_retries: int('Further waits with `on_timeout = "retry"`.', { default: 3, min: 0 }),
    max_concurrent_waits: int(
      'Messages of this flow that may wait in one process; above it a message fails at once. 0 sets no limit.',
      {
        default: 0,
        min: 0,
      },
    ),
    scope: oneOf('`process` accepts that each worker has signals of its own.', ['process']),
  },
  blocks: { wait, signal, preflight, storage },
  rules: [{ rule: 'atLeastOneOf', names: ['wait', 'signal'] }],
  example:
    'coordinate {\n  timeout = "30s"\n  wait {\n    when = "input.kind == \'line\'"\n    for  = "\'order:\' + input.order"\n  }\n  signal {\n    when = "input.kind == \'order\'"\n    emit = "\'order:\' + input.order"\n  }\n  storage { driver = "memory" }\n}',
});
