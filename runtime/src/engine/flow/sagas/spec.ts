import { block, lifetime, oneOf, reference, text } from '@svc/protocol/schema';
import { asks } from '../action/spec.ts';
import { retry } from '../stages/error-handling/spec.ts';
import { filter } from '../stages/from/spec.ts';

/** One step of a saga. */
export const sagaStep = block({
  doc: 'Does something, waits, or both: the wait comes first, and a step whose event did not come has no effect. Steps run one after another.',
  label: { name: 'name', doc: 'Name of the step, and of its result in expressions: `step.<name>`.' },
  result: 'step',
  required: true,
  repeated: true,
  attributes: {
    delay: lifetime('Waits this long before the action. The wait outlives the process.', { min: 1 }),
    await: text(
      'Waits for this event before the action, which reads what came with it as `input.signal`. The wait outlives the process.',
      {
        pattern: { source: '^[\\w.-]+$', says: 'must be a name of letters, digits, _, - and .' },
      },
    ),
    timeout: lifetime('Longest time that an attempt of the action, or the wait for the event, may take.', { min: 1 }),
    on_error: oneOf(
      'When every attempt of the action failed: `fail` undoes the steps before it, `skip` continues with `{ error }` as the result.',
      ['fail', 'skip'],
      { default: 'fail', synonyms: { compensate: 'fail' } },
    ),
  },
  blocks: {
    retry,
    action: asks('action', 'What the step does.'),
    compensate: asks('compensate', 'Undoes the step when a later one fails or the saga is cancelled.'),
  },
  rules: [
    { rule: 'atLeastOneOf', names: ['action', 'delay', 'await'] },
    { rule: 'atMostOneOf', names: ['delay', 'await'] },
  ],
  example:
    'step "hold" {\n  action {\n    connector = "db"\n    operation = "INSERT"\n    target    = "holds"\n    data      = { van_id = "input.van_id" }\n  }\n  compensate {\n    connector = "db"\n    operation = "DELETE"\n    target    = "holds"\n    where     = { id = "step.hold.id" }\n  }\n}',
});

const from = block({
  doc: 'What starts the saga. Without it the saga is never started by a message.',
  attributes: {
    connector: reference('The connector that triggers the saga.', 'connector', { required: true, tells: 'input' }),
    operation: text(
      'What triggers the saga, as the connector names it (`POST /rentals`), or a named operation of it.',
      { refersTo: 'operation' },
    ),
  },
  blocks: { filter },
  dependent: { by: 'connector', at: 'from', reads: ['input'] },
  example: 'from {\n  connector = "api"\n  operation = "POST /rentals"\n}',
});

/** The `saga` block: steps over several systems, each with what undoes it. */
export const saga = block({
  doc: 'Runs steps over several systems. When one fails, those before it are undone in reverse order.',
  label: { name: 'name', doc: 'Name of the saga. It is a flow of this name to metrics, aspects and debuggers.' },
  repeated: true,
  attributes: {
    timeout: lifetime('Longest time that the steps may take together, waits included.', { min: 1 }),
  },
  blocks: {
    from,
    step: sagaStep,
    on_complete: asks('on_complete', 'Runs when every step has succeeded. When it fails, nothing is undone.'),
    on_failure: asks('on_failure', 'Runs after a failure, when the steps are undone. It reads `error.message`.'),
  },
  example:
    'saga "rent_van" {\n  from {\n    connector = "api"\n    operation = "POST /rentals"\n  }\n  step "hold" {\n    action {\n      connector = "db"\n      operation = "INSERT"\n      target    = "holds"\n      data      = { van_id = "input.van_id" }\n    }\n    compensate {\n      connector = "db"\n      operation = "DELETE"\n      target    = "holds"\n      where     = { id = "step.hold.id" }\n    }\n  }\n}',
});
