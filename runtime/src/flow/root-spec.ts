import { type BlockSpec, block } from '@svc/protocol/schema';
import { saga } from '../workflows/spec.ts';
import { aspect } from './aspects/spec.ts';
import { flow } from './spec.ts';
import { accept } from './stages/accept/spec.ts';
import { cache } from './stages/cache/spec.ts';
import { coordinate } from './stages/coordinate/spec.ts';
import { dedupe } from './stages/dedupe/spec.ts';
import { transaction } from './stages/destination/spec.ts';
import { errorHandling, retry } from './stages/error-handling/spec.ts';
import { lock } from './stages/lock/spec.ts';
import { response } from './stages/response/spec.ts';
import { security } from './stages/sanitize/spec.ts';
import { semaphore } from './stages/semaphore/spec.ts';
import { sequenceGuard } from './stages/sequence-guard/spec.ts';
import { stateMachine } from './stages/state-transition/spec.ts';
import { transform } from './stages/transform/spec.ts';
import { type, validator } from './stages/validate/spec.ts';

export const constants = block({
  doc: 'Values that every file and every expression reads as `constants.<name>`. Each attribute is one of them.',
  repeated: true,
  example: 'constants {\n  page_size = 50\n}',
});

/** The root form of a reusable block: the same, with a name that `use` refers to (supplement 1.7). */
function definition<S extends BlockSpec>(spec: S) {
  return {
    ...spec,
    label: { name: 'name', doc: 'Name that `use` refers to.' },
    repeated: true,
    required: false,
    example: undefined,
  } as const;
}

/** Root blocks of the flow language by word. */
export const rootBlocks = {
  flow,
  aspect,
  saga,
  type,
  validator,
  constants,
  state_machine: stateMachine,
  security,
  transform: definition(transform),
  response: definition(response),
  accept: definition(accept),
  lock: definition(lock),
  semaphore: definition(semaphore),
  coordinate: definition(coordinate),
  sequence_guard: definition(sequenceGuard),
  cache: definition(cache),
  dedupe: definition(dedupe),
  error_handling: definition(errorHandling),
  retry: definition(retry),
  transaction: definition(transaction),
} as const;

/** Root words of the language that are not built: refused by name. */
export const unavailableRootBlocks = ['auth', 'functions', 'plugin'] as const;
