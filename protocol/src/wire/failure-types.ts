/** Kinds of failures, as `error.type` has them and `debug.setFailureBreakpoints` takes them. */
export const failureTypes = [
  'http',
  'flow',
  'validation',
  'not_found',
  'timeout',
  'connection',
  'auth',
  'unknown',
] as const;

export type FailureType = (typeof failureTypes)[number];
