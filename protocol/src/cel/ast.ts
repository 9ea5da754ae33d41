import type { Range } from '../text/index.ts';

/**
 * An expression. Every node carries the range of its text: brackets around it are not included, those around its parts
 * are.
 */
export type Expression =
  | LiteralExpression
  | IdentifierExpression
  | SelectExpression
  | IndexExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | MessageExpression
  | UnaryExpression
  | BinaryExpression
  | ConditionalExpression
  | MissingExpression;

export interface LiteralExpression extends Range {
  readonly kind: 'literal';
  /** A bigint, CelUint, number, boolean, string, null or Uint8Array. */
  readonly value: unknown;
}

/** A variable. `absolute` when written with a leading dot, which skips the variables of macros. */
export interface IdentifierExpression extends Range {
  readonly kind: 'identifier';
  readonly name: string;
  readonly absolute: boolean;
}

/** `operand.field` or `operand.?field`. A half-written `operand.` has the field `''`. */
export interface SelectExpression extends Range {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  readonly fieldRange: Range;
  readonly optional: boolean;
}

/** `operand[index]` or `operand[?index]`. */
export interface IndexExpression extends Range {
  readonly kind: 'index';
  readonly operand: Expression;
  readonly index: Expression;
  readonly optional: boolean;
}

/** `name(...)` or `target.name(...)`. Macros are calls too; `macroOf` distinguishes them. */
export interface CallExpression extends Range {
  readonly kind: 'call';
  readonly target: Expression | undefined;
  readonly name: string;
  readonly nameRange: Range;
  readonly args: readonly Expression[];
}

export interface ListExpression extends Range {
  readonly kind: 'list';
  readonly elements: readonly ListElement[];
}

/** `optional` for `?value`, which adds nothing when the optional is empty. */
export interface ListElement {
  readonly value: Expression;
  readonly optional: boolean;
}

export interface MapExpression extends Range {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

/** `Type{field: value}`. It parses, so that the message can say that messages are not supported. */
export interface MessageExpression extends Range {
  readonly kind: 'message';
  readonly type: Expression;
  readonly fields: readonly { readonly name: string; readonly value: Expression }[];
}

export interface UnaryExpression extends Range {
  readonly kind: 'unary';
  readonly operator: '!' | '-';
  readonly operand: Expression;
}

export type BinaryOperator =
  | '??'
  | '||'
  | '&&'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%';

export interface BinaryExpression extends Range {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly operatorRange: Range;
  readonly left: Expression;
  readonly right: Expression;
}

export interface ConditionalExpression extends Range {
  readonly kind: 'conditional';
  readonly condition: Expression;
  readonly then: Expression;
  readonly otherwise: Expression;
}

/** A hole where an operand is expected; only in trees with problems. */
export interface MissingExpression extends Range {
  readonly kind: 'missing';
}
