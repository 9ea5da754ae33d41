import type { ArgumentSource, CelSource, ExpressionSource, TemplateSource } from './sources.ts';

/**
 * How the value of an attribute is written and what the code receives:
 *
 * | kind      | written as                                             | received as          |
 * |-----------|--------------------------------------------------------|----------------------|
 * | text      | string; numbers and booleans are rendered              | string               |
 * | int, float| number or numeric text                                 | number               |
 * | flag      | boolean, `yes`/`no`, `on`/`off`, `1`/`0`               | boolean              |
 * | oneOf     | one of the listed words or numbers, in any case        | that value           |
 * | duration  | `"1h30m"`, or a number of seconds                      | number, milliseconds |
 * | size      | `"32MB"`, or a number of bytes                         | number, bytes        |
 * | reference | the name of another block, bare or as `kind.name`      | string               |
 * | list, map | list (one value is a list of one), object              | array, plain object  |
 * | value     | any constant                                           | JSON value           |
 * | cel       | an expression in quotes                                | CelSource            |
 * | template  | text with `${expression}` parts                        | TemplateSource       |
 * | argument  | constants, in which texts that read the message are CEL | ArgumentSource      |
 * | argument, marked | constants, in which `cel("…")` is CEL           | ArgumentSource       |
 * | expression| any expression, kept as its syntax tree                | ExpressionSource     |
 */
export type AttributeKind =
  | 'text'
  | 'int'
  | 'float'
  | 'flag'
  | 'oneOf'
  | 'duration'
  | 'size'
  | 'reference'
  | 'list'
  | 'map'
  | 'value'
  | 'cel'
  | 'template'
  | 'argument'
  | 'expression';

/** What may be written for one attribute. `T` is the type that the code reads; it exists only for the compiler. */
export interface AttributeSpec<T = unknown> {
  readonly kind: AttributeKind;
  /** One or two sentences for completion, hover and the reference pages. */
  readonly doc: string;
  readonly required: boolean;
  readonly default?: unknown;
  /** Never printed, logged, traced or sent to a debugger. */
  readonly secret: boolean;
  /** Other spellings that mean the same; naming two of them at once is an error. */
  readonly aliases: readonly string[];
  /** A value as it would be written, for the reference pages. */
  readonly example?: string | undefined;
  /** Bounds of numbers, durations (milliseconds) and sizes (bytes), both included. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Regular expression that a text must match, with what to say when it does not. */
  readonly pattern?: { readonly source: string; readonly says: string } | undefined;
  /**
   * `text`: the path of a file, so that a wrong place can be reported before the service starts: one that is `read`
   * then, or one that is `kept` by the service itself.
   */
  readonly namesFile?: 'read' | 'kept' | undefined;
  /** Choices of `oneOf`, the recommended spelling first. */
  readonly choices?: readonly (string | number)[] | undefined;
  /** `oneOf`: other spelling to the choice it means. */
  readonly synonyms?: Readonly<Record<string, string | number>> | undefined;
  /** `reference`: the kind of block that is named. `text` and `argument`: the kind that may be named. */
  readonly refersTo?: string | undefined;
  /** It names something at the connector that the block asks, such as a table: a running service may know what there is. */
  readonly atConnector?: true | undefined;
  /** The variable whose fields it tells: a reference by the fields of the named block, a text by being one of them. */
  readonly tells?: string | undefined;
  /** `expression`: the words that may be written, each with constraints in brackets. */
  readonly grammar?: FieldGrammar | undefined;
  /** `list` and `map`: what each element is. */
  readonly element?: AttributeSpec | undefined;
  /** `cel`, `template`, `argument`: variables in scope besides those that exist everywhere. */
  readonly reads?: readonly string[] | undefined;
  /** `template`: a text without `${…}` is an expression itself instead of literal text. */
  readonly orExpression?: boolean | undefined;
  /** `cel`: what the expression must yield. */
  readonly gives?: 'bool' | 'int' | 'string' | 'list' | 'map' | undefined;
  /** `argument`: texts are literal, whatever they look like; only what is written `cel("…")` is an expression. */
  readonly marked?: boolean | undefined;
  /**
   * `argument`: `key` takes one text, and also one that could be no plain name for an expression: with `+` or `(` in it,
   * or in quotes of its own.
   */
  readonly form?: 'key' | undefined;
  /**
   * `cel`, `argument`: whether failing to compile means that the message is refused (a gate), so that start-up lists
   * it.
   */
  readonly decides?: boolean | undefined;
  /** `cel`: a word of a connector that it evaluates itself, for each of those whom a message may concern. */
  readonly deferred?: true | undefined;
  /** `cel`: an expression that is not valid is an error, and not a warning: the service does not start with it. */
  readonly mustCompile?: true | undefined;
  /** `cel`, `argument`: what evaluates it waits for functions whose values come later, such as those of plugins. */
  readonly waits?: true | undefined;
  /** `argument`: what the keys of an object are: parameters of what the block around it asks a connector for. */
  readonly keys?: 'parameters' | undefined;
  /** Exists only for the compiler. */
  readonly type?: T;
}

/** How the fields of a block are written that describes a message: `string({ max_length = 30 })`, `"address"`. */
export interface FieldGrammar {
  readonly words: readonly string[];
  readonly constraints: Readonly<Record<string, AttributeSpec>>;
  /** The kind of block that a text names. */
  readonly refersTo: string;
  /** A field as people read it, of its word and its constraints as they are written, by name. */
  readonly inWords?: ((word: string, constraints: ReadonlyMap<string, string>) => string) | undefined;
}

/** What every builder accepts. */
export interface AttributeOptions<T> {
  readonly required?: boolean;
  readonly default?: T;
  readonly secret?: boolean;
  readonly aliases?: readonly string[];
  readonly example?: string;
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** `T` when the attribute always has a value, else `T | undefined`. */
export type Present<T, O> = O extends { required: true } ? T : O extends { default: unknown } ? T : T | undefined;

function attribute<T>(kind: AttributeKind, doc: string, options: object): AttributeSpec<T> {
  return Object.freeze({ kind, doc, required: false, secret: false, aliases: [], ...options });
}

interface TextOptions extends AttributeOptions<string> {
  readonly pattern?: { readonly source: string; readonly says: string };
  readonly namesFile?: 'read' | 'kept';
  readonly refersTo?: string;
  readonly tells?: string;
  readonly atConnector?: true;
}

export function text<const O extends TextOptions>(doc: string, options?: O): AttributeSpec<Present<string, O>> {
  return attribute('text', doc, options ?? {});
}

export function int<const O extends AttributeOptions<number> & Bounds>(
  doc: string,
  options?: O,
): AttributeSpec<Present<number, O>> {
  return attribute('int', doc, options ?? {});
}

export function float<const O extends AttributeOptions<number> & Bounds>(
  doc: string,
  options?: O,
): AttributeSpec<Present<number, O>> {
  return attribute('float', doc, options ?? {});
}

export function flag<const O extends AttributeOptions<boolean>>(
  doc: string,
  options?: O,
): AttributeSpec<Present<boolean, O>> {
  return attribute('flag', doc, options ?? {});
}

export function oneOf<
  const V extends readonly (string | number)[],
  const O extends AttributeOptions<V[number]> & { synonyms?: Readonly<Record<string, V[number]>> },
>(doc: string, choices: V, options?: O): AttributeSpec<Present<V[number], O>> {
  return attribute('oneOf', doc, { ...options, choices });
}

/**
 * The longest `duration` without bounds of its own, in milliseconds. Timers have 31 bits, in this process as in libraries
 * and servers.
 */
export const longestWait = 24 * 86_400_000;

/** The longest duration that can be written, in milliseconds: added to a time of these centuries, it is a time still. */
export const longestLifetime = 36_500 * 86_400_000;

/** Milliseconds that something waits or may take. A default is written in milliseconds. */
export function duration<const O extends AttributeOptions<number> & Bounds>(
  doc: string,
  options?: O,
): AttributeSpec<Present<number, O>> {
  return attribute('duration', doc, options ?? {});
}

/** Milliseconds that something is kept or valid, which no timer measures: up to the longest that can be written. */
export function lifetime<const O extends AttributeOptions<number> & Bounds>(
  doc: string,
  options?: O,
): AttributeSpec<Present<number, O>> {
  return attribute('duration', doc, { max: longestLifetime, ...options });
}

/** Bytes. A default is written in bytes. */
export function size<const O extends AttributeOptions<number> & Bounds>(
  doc: string,
  options?: O,
): AttributeSpec<Present<number, O>> {
  return attribute('size', doc, options ?? {});
}

/** The name of a block of kind `refersTo`, linked and checked. */
export function reference<const O extends AttributeOptions<string> & { readonly tells?: string }>(
  doc: string,
  refersTo: string,
  options?: O,
): AttributeSpec<Present<string, O>> {
  return attribute('reference', doc, { ...options, refersTo });
}

export function list<T, const O extends AttributeOptions<readonly NonNullable<T>[]>>(
  doc: string,
  element: AttributeSpec<T>,
  options?: O,
): AttributeSpec<Present<readonly NonNullable<T>[], O>> {
  return attribute('list', doc, { ...options, element });
}

export function map<T, const O extends AttributeOptions<Readonly<Record<string, NonNullable<T>>>>>(
  doc: string,
  element: AttributeSpec<T>,
  options?: O,
): AttributeSpec<Present<Readonly<Record<string, NonNullable<T>>>, O>> {
  return attribute('map', doc, { ...options, element });
}

/** Any constant: text, number, boolean, null, list or object. */
export function value<const O extends AttributeOptions<unknown>>(
  doc: string,
  options?: O,
): AttributeSpec<Present<unknown, O>> {
  return attribute('value', doc, options ?? {});
}

interface CelOptions extends AttributeOptions<never> {
  /** Variables in scope besides `constants`, `auth` and `ctx`. */
  readonly reads: readonly string[];
  readonly gives?: 'bool' | 'int' | 'string' | 'list' | 'map';
  readonly decides?: boolean;
  readonly deferred?: true;
  readonly mustCompile?: true;
  readonly waits?: true;
}

export function cel<const O extends CelOptions>(doc: string, options: O): AttributeSpec<Present<CelSource, O>> {
  return attribute('cel', doc, options);
}

interface TemplateOptions extends AttributeOptions<never> {
  readonly reads: readonly string[];
  readonly orExpression?: boolean;
}

export function template<const O extends TemplateOptions>(
  doc: string,
  options: O,
): AttributeSpec<Present<TemplateSource, O>> {
  return attribute('template', doc, options);
}

interface ArgumentOptions extends AttributeOptions<never> {
  readonly reads: readonly string[];
  readonly refersTo?: string;
  readonly atConnector?: true;
  readonly form?: 'key';
  readonly decides?: boolean;
  readonly keys?: 'parameters';
  readonly waits?: true;
}

export function argument<const O extends ArgumentOptions>(
  doc: string,
  options: O,
): AttributeSpec<Present<ArgumentSource, O>> {
  return attribute('argument', doc, options);
}

/** Any constant, in which expressions are marked: `{ id = cel("value > 0"), text = "input.id" }`. */
export function marked<const O extends ArgumentOptions>(
  doc: string,
  options: O,
): AttributeSpec<Present<ArgumentSource, O>> {
  return attribute('argument', doc, { ...options, marked: true });
}

/** A part of the configuration with a grammar of its own, such as the fields of a `type` block. */
export function expression(doc: string, grammar?: FieldGrammar): AttributeSpec<ExpressionSource | undefined> {
  return attribute('expression', doc, { grammar });
}
