import type { Breakpoint } from './shapes.ts';

/** Kinds of parameters; a question mark at the end makes one optional. */
export interface Kinds {
  string: string;
  int: number;
  'string[]': readonly string[];
  breakpoints: readonly Breakpoint[];
  any: unknown;
}

export type Kind = keyof Kinds;

export interface ParamSpec {
  readonly kind: Kind | `${Kind}?`;
  readonly doc: string;
}

export interface Method<
  P extends Readonly<Record<string, ParamSpec>> = Readonly<Record<string, ParamSpec>>,
  R = unknown,
> {
  readonly doc: string;
  readonly params: P;
  /** Says what the result holds. */
  readonly result: string;
  /** Holds the type of the result; there is no value. */
  readonly shape?: R;
}

/** A method whose result has the type `R`. */
export function method<R>() {
  return <const P extends Readonly<Record<string, ParamSpec>>>(spec: Omit<Method<P, R>, 'shape'>): Method<P, R> => spec;
}
