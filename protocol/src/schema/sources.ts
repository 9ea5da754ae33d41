import type { Expression } from '../syntax/index.ts';
import type { Range } from '../text/index.ts';

/** Where a decoded thing was written. */
export interface Origin {
  /** Path relative to the configuration directory, with `/`. */
  readonly file: string;
  readonly range: Range;
}

/**
 * An expression that has not been compiled yet. `origin.range` is the range of the expression's text itself: offset 0
 * of `source` is at `origin.range.start`, unless `escaped` says that escapes shifted what follows them.
 */
export interface CelSource {
  readonly kind: 'cel';
  readonly source: string;
  readonly origin: Origin;
  /** The quoted text holds escapes, so offsets inside it are not exact: point at the whole text. */
  readonly escaped: boolean;
  /** Written as a bare constant (`count = 5`): the value itself. Absent when the text is an expression. */
  readonly constant?: { readonly value: string | number | bigint | boolean | null } | undefined;
  /** Variables in scope at this position besides those that exist everywhere. */
  readonly reads: readonly string[];
  readonly gives?: 'bool' | 'int' | 'string' | 'list' | 'map' | undefined;
  readonly decides?: boolean | undefined;
  readonly mustCompile?: true | undefined;
  /** What evaluates it waits for functions whose values come later, such as those of plugins. */
  readonly waits?: true | undefined;
}

/** Literal texts and expressions in turn, such as a cache key. */
export interface TemplateSource {
  readonly kind: 'template';
  readonly parts: readonly (string | CelSource)[];
  readonly origin: Origin;
}

/** Constants in which some texts are expressions; lists and objects are walked. */
export type ArgumentSource =
  | { readonly kind: 'constant'; readonly value: unknown; readonly origin: Origin }
  | CelSource
  | { readonly kind: 'list'; readonly items: readonly ArgumentSource[]; readonly origin: Origin }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, ArgumentSource])[]; readonly origin: Origin };

/** An expression that its reader interprets itself. */
export interface ExpressionSource {
  readonly kind: 'expression';
  readonly expression: Expression;
  readonly origin: Origin;
}
