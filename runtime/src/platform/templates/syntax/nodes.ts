/** What a template says, as it is written. `line` counts from 1. */
export type Node =
  | { readonly kind: 'text'; readonly text: string; readonly line: number }
  | { readonly kind: 'print'; readonly pipeline: Pipeline; readonly line: number }
  | ({ readonly kind: 'if' | 'with' } & Choice)
  | ({ readonly kind: 'range' } & Choice)
  | { readonly kind: 'template'; readonly name: string; readonly argument: Pipeline | undefined; readonly line: number }
  | { readonly kind: 'break' | 'continue'; readonly line: number };

export interface Choice {
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[];
  readonly line: number;
}

/** `$name := a b | c`: each command gets the result of the one before it as its last argument. */
export interface Pipeline {
  /** Variables that are declared, or assigned; of `range` up to two. */
  readonly names: readonly string[];
  readonly assigns: boolean;
  readonly commands: readonly Command[];
  readonly line: number;
}

export interface Command {
  /** The first one is what is called where there are more, or where it is a function. */
  readonly operands: readonly Operand[];
}

/** `path` holds the fields that are taken of it: `.a.b` is the dot with the path `a`, `b`. */
export type Operand =
  | { readonly kind: 'dot'; readonly path: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'constant'; readonly value: Constant }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'group'; readonly pipeline: Pipeline; readonly path: readonly string[] };

export type Constant = string | number | bigint | boolean | null;

/** The text of a template: what it prints, and the templates that it defines. */
export interface ParsedTemplate {
  readonly body: readonly Node[];
  readonly defined: ReadonlyMap<string, readonly Node[]>;
}
