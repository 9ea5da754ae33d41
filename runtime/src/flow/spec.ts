import { block, reference, text } from '@svc/protocol/schema';
import { when } from '../schedule/spec.ts';
import { accept } from './stages/accept/spec.ts';
import { after } from './stages/after/spec.ts';
import { async } from './stages/async/spec.ts';
import { batch } from './stages/batch/spec.ts';
import { cache } from './stages/cache/spec.ts';
import { coordinate } from './stages/coordinate/spec.ts';
import { dedupe } from './stages/dedupe/spec.ts';
import { to } from './stages/destination/spec.ts';
import { enrich } from './stages/enrich/spec.ts';
import { errorHandling } from './stages/error-handling/spec.ts';
import { from } from './stages/from/spec.ts';
import { idempotency } from './stages/idempotency/spec.ts';
import { lock } from './stages/lock/spec.ts';
import { require_ } from './stages/require/spec.ts';
import { response } from './stages/response/spec.ts';
import { semaphore } from './stages/semaphore/spec.ts';
import { sequenceGuard } from './stages/sequence-guard/spec.ts';
import { stateTransition } from './stages/state-transition/spec.ts';
import { step } from './stages/steps/spec.ts';
import { transform } from './stages/transform/spec.ts';
import { validate } from './stages/validate/spec.ts';

/** The `flow` block: one blocks entry per stage, in the order in which a message meets them. */
export const flow = block({
  doc: 'Takes messages from one connector through stages to others, and answers. It has `from`, `when` or both, unless the action of an aspect calls it by its name.',
  label: { name: 'name', doc: 'Name of the flow in logs, metrics and traces.' },
  repeated: true,
  attributes: {
    returns: text(
      'Type of the answer for protocols with types: `User`, `User!`, `User[]` or `[User!]!`, or a scalar such as `Int`.',
      { example: '"[order!]!"' },
    ),
    entity: reference('The type whose references this flow resolves in a federation.', 'type'),
  },
  blocks: {
    from,
    when,
    require: require_,
    accept,
    validate,
    async,
    idempotency,
    error_handling: errorHandling,
    lock,
    semaphore,
    coordinate,
    sequence_guard: sequenceGuard,
    cache,
    step,
    enrich,
    transform,
    batch,
    state_transition: stateTransition,
    dedupe,
    to,
    response,
    after,
  },
  example:
    'flow "get_order" {\n  from {\n    connector = "api"\n    operation = "GET /orders/:id"\n  }\n  to {\n    connector = "db"\n    target    = "orders"\n  }\n}',
});
