import type { Diagnostic, Range } from '../text/index.ts';

/**
 * The syntax tree of one file of HCL native syntax. Every node carries its own range; nothing is evaluated.
 * A text with errors still yields a tree: what could not be read is `undefined` or an `invalid` expression.
 */
export interface SyntaxTree {
  readonly file: string;
  readonly text: string;
  readonly body: Body;
  /** Problems of the syntax alone, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What is written at the root of a file or between the braces of a block, in written order. */
export interface Body extends Range {
  readonly items: readonly BodyItem[];
}

export type BodyItem = Attribute | Block;

export interface Name extends Range {
  readonly text: string;
}

/** `name = value`. `value` is undefined when nothing readable follows the equals sign. */
export interface Attribute extends Range {
  readonly kind: 'attribute';
  readonly name: Name;
  readonly value: Expression | undefined;
}

/** `type "label" { … }`. */
export interface Block extends Range {
  readonly kind: 'block';
  readonly type: Name;
  readonly labels: readonly Label[];
  /**
   * The content between the braces. Where a brace is missing it is what is indented further than the block's own line,
   * and zero-length when nothing is.
   */
  readonly body: Body;
  /** False when a brace is missing, as while a person types. */
  readonly complete: boolean;
}

/** A block label; the range includes the quotes when there are any. */
export interface Label extends Range {
  readonly text: string;
  readonly quoted: boolean;
}

export type Expression =
  | NumberLiteral
  | BooleanLiteral
  | NullLiteral
  | TemplateExpression
  | ListExpression
  | ObjectExpression
  | VariableExpression
  | AttributeAccess
  | IndexAccess
  | SplatExpression
  | FunctionCall
  | ConditionalExpression
  | BinaryExpression
  | UnaryExpression
  | ForExpression
  | ParenthesizedExpression
  | InvalidExpression;

export interface NumberLiteral extends Range {
  readonly kind: 'number';
  /** As written: `10`, `1.5`, `2e3`. */
  readonly source: string;
  readonly value: number;
  /** Whether the source has neither a fraction nor an exponent. */
  readonly integer: boolean;
}

export interface BooleanLiteral extends Range {
  readonly kind: 'boolean';
  readonly value: boolean;
}

export interface NullLiteral extends Range {
  readonly kind: 'null';
}

/** A quoted string or a heredoc. Without holes and directives it is a constant text: see `literalText`. */
export interface TemplateExpression extends Range {
  readonly kind: 'template';
  readonly form: 'quoted' | 'heredoc' | 'indented-heredoc';
  readonly parts: readonly TemplatePart[];
}

export type TemplatePart = TemplateText | TemplateInterpolation | TemplateConditional | TemplateLoop;

/** Literal text with escapes resolved; indentation of `<<-` and trim markers are already applied. */
export interface TemplateText extends Range {
  readonly kind: 'text';
  readonly value: string;
}

/** `${…}`; the range includes the braces, that of `expression` does not. */
export interface TemplateInterpolation extends Range {
  readonly kind: 'interpolation';
  readonly expression: Expression;
}

/** `%{ if … }…%{ else }…%{ endif }`. */
export interface TemplateConditional extends Range {
  readonly kind: 'conditional-directive';
  readonly condition: Expression;
  readonly then: readonly TemplatePart[];
  readonly otherwise: readonly TemplatePart[];
}

/** `%{ for key, value in collection }…%{ endfor }`. */
export interface TemplateLoop extends Range {
  readonly kind: 'for-directive';
  readonly key: Name | undefined;
  readonly value: Name;
  readonly collection: Expression;
  readonly body: readonly TemplatePart[];
}

export interface ListExpression extends Range {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

export interface ObjectExpression extends Range {
  readonly kind: 'object';
  readonly entries: readonly ObjectEntry[];
}

/** A key that is a bare name denotes its own text (`{ a = 1 }`), written here as a `variable` expression. */
export interface ObjectEntry extends Range {
  readonly key: Expression;
  readonly value: Expression;
}

export interface VariableExpression extends Range {
  readonly kind: 'variable';
  readonly name: string;
}

/** `target.name`. */
export interface AttributeAccess extends Range {
  readonly kind: 'attribute-access';
  readonly target: Expression;
  readonly name: Name;
}

/** `target[key]`, or `target.0` in the legacy form. */
export interface IndexAccess extends Range {
  readonly kind: 'index';
  readonly target: Expression;
  readonly key: Expression;
  readonly legacy: boolean;
}

/** `target[*].each` or `target.*.each`: `each` is applied to every element, in place of the whole. */
export interface SplatExpression extends Range {
  readonly kind: 'splat';
  readonly target: Expression;
  readonly form: 'full' | 'attribute-only';
  /** The accesses after the star, in written order: attributes, index keys, and further stars. */
  readonly each: readonly (Name | Expression | SplatStar)[];
}

/** A star after a star: what follows it is applied to every element of each element. */
export interface SplatStar extends Range {
  readonly kind: 'star';
}

export interface FunctionCall extends Range {
  readonly kind: 'call';
  readonly name: Name;
  readonly arguments: readonly Expression[];
  /** The last argument is followed by `...`. */
  readonly expandLast: boolean;
}

export interface ConditionalExpression extends Range {
  readonly kind: 'conditional';
  readonly condition: Expression;
  readonly then: Expression;
  readonly otherwise: Expression;
}

export type BinaryOperator = '||' | '&&' | '==' | '!=' | '<' | '>' | '<=' | '>=' | '+' | '-' | '*' | '/' | '%';

export interface BinaryExpression extends Range {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

export interface UnaryExpression extends Range {
  readonly kind: 'unary';
  readonly operator: '-' | '!';
  readonly operand: Expression;
}

/** `[for k, v in c : value if condition]` or `{for k, v in c : key => value... if condition}`. */
export interface ForExpression extends Range {
  readonly kind: 'for';
  readonly form: 'list' | 'object';
  readonly keyName: Name | undefined;
  readonly valueName: Name;
  readonly collection: Expression;
  readonly key: Expression | undefined;
  readonly value: Expression;
  readonly grouped: boolean;
  readonly condition: Expression | undefined;
}

export interface ParenthesizedExpression extends Range {
  readonly kind: 'parenthesized';
  readonly expression: Expression;
}

/** Text that is not an expression; its diagnostic is in the tree. */
export interface InvalidExpression extends Range {
  readonly kind: 'invalid';
}
