import type { ArgumentSource, AttributeSpec, BlockSpec, CelSource, TemplateSource } from '@svc/protocol/schema';

/** How a word is decoded that is evaluated for each message. */
type Source = CelSource | TemplateSource | ArgumentSource;

type Decoded<A> = A extends AttributeSpec<infer T> ? T : never;

type Given<A> = A extends { kind: 'template' }
  ? string
  : A extends { gives: infer G extends keyof Kinds }
    ? Kinds[G]
    : unknown;

/** The type that the result of an expression is checked against. */
interface Kinds {
  readonly bool: boolean;
  readonly int: bigint;
  readonly string: string;
  readonly list: readonly unknown[];
  readonly map: Readonly<Record<string, unknown>>;
}

/** Those of any connector. */
export type AnyWords = Readonly<Record<string, unknown>>;

/** An expression of the configuration that a connector evaluates itself. Throws a Failure. */
export interface DeferredExpression {
  /** As it is written. */
  readonly source: string;
  /** `variables` are those that its word reads, by name; `auth` beside them. */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/** The words of a connector that no message changes, as its spec types them. */
export type FixedWords<W extends BlockSpec = BlockSpec> = string extends keyof W['attributes']
  ? AnyWords
  : {
      readonly [K in keyof W['attributes'] as NonNullable<Decoded<W['attributes'][K]>> extends Source ? never : K]?:
        | NonNullable<Decoded<W['attributes'][K]>>
        | undefined;
    };

/** Those that each message gives a value: expressions, and blocks of them by the names of their fields. */
export type EvaluatedWords<W extends BlockSpec = BlockSpec> = string extends keyof W['attributes']
  ? AnyWords
  : {
      readonly [K in keyof W['attributes'] as NonNullable<Decoded<W['attributes'][K]>> extends Source ? K : never]?:
        | Given<W['attributes'][K]>
        | undefined;
    } & { readonly [K in keyof W['blocks']]?: AnyWords | undefined };
