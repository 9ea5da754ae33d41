import { block, cel, flag, reference, text } from '@svc/protocol/schema';
import { asks } from '../../action/spec.ts';

const transition = block({
  doc: 'What an event does in this state.',
  label: { name: 'event', doc: 'Name of the event.' },
  repeated: true,
  attributes: {
    transition_to: text('The state that comes next.', { required: true }),
    guard: cel('The event is accepted only when this is true; `input` is the data of the transition.', {
      reads: ['input'],
      gives: 'bool',
      decides: true,
    }),
  },
  blocks: { action: asks('action', 'What is done before the new state is written; when it fails, the state stays.') },
});

const state = block({
  doc: 'One state, and the events that lead out of it.',
  label: { name: 'name', doc: 'Name of the state, as it is stored in the column `status`.' },
  required: true,
  repeated: true,
  attributes: { final: flag('Nothing leads out of this state.', { default: false }) },
  blocks: { on: transition },
});

export const stateMachine = block({
  doc: 'States of an entity and the events that lead from one to another. Flows use it with `state_transition`.',
  label: { name: 'name', doc: 'Name that `state_transition` uses.' },
  repeated: true,
  attributes: {
    initial: text('State of an entity whose column `status` is empty.', { required: true }),
  },
  blocks: { state },
  example:
    'state_machine "ticket" {\n  initial = "open"\n  state "open" {\n    on "close" {\n      transition_to = "closed"\n      guard         = "input.reason != \'\'"\n    }\n  }\n  state "closed" { final = true }\n}',
});

export const stateTransition = block({
  doc: 'Moves an entity to another state, when its machine allows it. It takes the place of steps, transform and `to`.',
  attributes: {
    machine: reference('The state machine.', 'state_machine', { required: true }),
    entity: text('Table or collection of the entity, with the columns `id` and `status`.', { required: true }),
    id: cel('Id of the entity.', { required: true, reads: ['input'], decides: true }),
    event: cel('Name of the event.', { required: true, reads: ['input'], gives: 'string', decides: true }),
    data: cel(
      'An object for guard and action, read there as `input`; without it, and where its path is absent, the whole message.',
      {
        reads: ['input'],
        gives: 'map',
      },
    ),
    connector: reference('Where the entity is kept; without it, the connector of the `to` of the flow.', 'connector'),
  },
  example:
    'state_transition {\n  machine   = "ticket"\n  entity    = "tickets"\n  id        = "input.id"\n  event     = "input.event"\n  connector = "db"\n}',
});
