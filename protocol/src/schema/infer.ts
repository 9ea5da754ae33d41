import type { AttributeSpec } from './attribute.ts';
import type { BlockSpec } from './block.ts';
import type { ArgumentSource, Origin, TemplateSource } from './sources.ts';

/** The key under which a decoded body keeps where it was written; see `originOf`. */
export const origin: unique symbol = Symbol('origin');

/** Where a body and its attributes were written. */
export interface BodyOrigin extends Origin {
  /** Written attributes and blocks by canonical name; the value's range for attributes, the first block's type for blocks. */
  readonly parts: ReadonlyMap<string, Origin>;
}

type AttributeValues<A> = { readonly [K in keyof A]: A[K] extends AttributeSpec<infer T> ? T : never };

type BlockValue<B> = B extends { repeated: true }
  ? readonly Values<B>[]
  : B extends { required: true }
    ? Values<B>
    : Values<B> | undefined;

type Labelled<S> = S extends { label: object } ? { readonly label: string } : unknown;

type Over<S> = S extends { over: AttributeSpec<infer T> } ? { readonly over: NonNullable<T> } : unknown;

type Fields<S> = S extends { fields: AttributeSpec<infer T> }
  ? { readonly fields: readonly { readonly name: string; readonly value: NonNullable<T>; readonly origin: Origin }[] }
  : unknown;

/** What the connector adds that a block names: shared words by their name, its own as `words`. */
type Dependent<S> = S extends { dependent: object }
  ? { readonly words: WrittenWords } & (S extends { dependent: { shared: infer W extends BlockSpec } }
      ? { readonly [K in keyof W['attributes']]: AttributeValues<W['attributes']>[K] | undefined } & {
          readonly [K in keyof W['blocks']]: BlockValue<W['blocks'][K]> | undefined;
        }
      : unknown)
  : unknown;

/** Words of one connector as they were decoded; it alone knows what they mean. */
export interface WrittenWords {
  /** Those that no message changes. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** Those that are evaluated for each message. */
  readonly evaluated: Readonly<Record<string, EvaluatedWord>>;
}

/** One expression, a value with expressions in it, or a block whose fields are some. */
export type EvaluatedWord =
  | ArgumentSource
  | TemplateSource
  | { readonly fields: readonly { readonly name: string; readonly value: ArgumentSource | TemplateSource }[] };

/** The TypeScript type of a decoded block: what the code reads, inferred from what may be written. */
export type Values<S> = S extends BlockSpec
  ? AttributeValues<S['attributes']> & { readonly [K in keyof S['blocks']]: BlockValue<S['blocks'][K]> } & Labelled<S> &
      Over<S> &
      Fields<S> &
      Dependent<S> & { readonly [origin]: BodyOrigin }
  : never;

/** Where `name` was written in the decoded body, or the body itself when it was not. */
export function originOf(values: { readonly [origin]: BodyOrigin }, name?: string): Origin {
  const body = values[origin];
  return (name === undefined ? undefined : body.parts.get(name)) ?? body;
}

/** Whether the author wrote `name` in this body, as opposed to getting its default. */
export function isWritten(values: { readonly [origin]: BodyOrigin }, name: string): boolean {
  return values[origin].parts.has(name);
}

/** The attributes and blocks that the author wrote in this body, attributes first. */
export function writtenIn(values: { readonly [origin]: BodyOrigin }): readonly string[] {
  return [...values[origin].parts.keys()];
}
