import type { Failure } from './failure.ts';

/**
 * What a caller may read of a failure: everything outside production; in production only what its own request caused or
 * its flow answered (docs/specification/flow.md#disclosure). Undefined means: answer only that the service failed.
 */
export function disclosed(failure: Failure, production: boolean): string | undefined {
  return !production || failure.kind.callers || failure.answered !== undefined ? failure.message : undefined;
}
