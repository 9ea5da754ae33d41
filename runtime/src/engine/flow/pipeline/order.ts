import { aspectEnd, aspectGates, aspectWork } from '../aspects/descriptor.ts';
import { accept } from '../stages/accept/descriptor.ts';
import { after } from '../stages/after/descriptor.ts';
import { async } from '../stages/async/descriptor.ts';
import { batch } from '../stages/batch/descriptor.ts';
import { cache } from '../stages/cache/descriptor.ts';
import { coordinate, coordinated } from '../stages/coordinate/descriptor.ts';
import { dedupe } from '../stages/dedupe/descriptor.ts';
import { to } from '../stages/destination/descriptor.ts';
import { enrich } from '../stages/enrich/descriptor.ts';
import { errorHandling, errorResponse } from '../stages/error-handling/descriptor.ts';
import { filter } from '../stages/filter/descriptor.ts';
import { from, input, when } from '../stages/from/descriptor.ts';
import { idempotency } from '../stages/idempotency/descriptor.ts';
import { lock } from '../stages/lock/descriptor.ts';
import { params } from '../stages/params/descriptor.ts';
import { require_ } from '../stages/require/descriptor.ts';
import { response } from '../stages/response/descriptor.ts';
import { sanitize } from '../stages/sanitize/descriptor.ts';
import { semaphore } from '../stages/semaphore/descriptor.ts';
import { sequenceGuard } from '../stages/sequence-guard/descriptor.ts';
import { stateTransition } from '../stages/state-transition/descriptor.ts';
import { step } from '../stages/steps/descriptor.ts';
import { transform } from '../stages/transform/descriptor.ts';
import { validateInput, validateOutput } from '../stages/validate/descriptor.ts';
import { sagaWork } from './saga.ts';

/**
 * The complete path of a message: every stage that a flow can have, in the order in which they run. One that takes the
 * rest of the flow (`error_response`, `async`, aspects, the retry loop, a lock, the cache) surrounds everything below
 * it.
 */
export const order = [
  from,
  when,
  input,
  params,
  sanitize,
  errorResponse,
  aspectGates,
  require_,
  filter,
  accept,
  validateInput,
  async,
  idempotency,
  aspectWork,
  errorHandling,
  lock,
  semaphore,
  coordinate,
  sequenceGuard,
  cache,
  step,
  enrich,
  transform,
  batch,
  stateTransition,
  sagaWork,
  dedupe,
  to,
  coordinated,
  response,
  validateOutput,
  after,
  aspectEnd,
] as const;
