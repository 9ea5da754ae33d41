import type { Execution } from './execution.ts';
import type { ResponsePath } from './places.ts';

/** Resolves a field for an execution: its arguments are those of its place. */
export type ResolveField = (
  parent: unknown,
  args: unknown,
  execution: Execution,
  info: { readonly path: ResponsePath },
) => unknown;
