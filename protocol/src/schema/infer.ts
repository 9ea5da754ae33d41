import type { AttributeSpec } from './attribute.ts';
import type { BlockSpec } from './block.ts';
import type { Origin } from './sources.ts';

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

/** The TypeScript type of a decoded block: what the code reads, inferred from what may be written. */
export type Values<S> = S extends BlockSpec
  ? AttributeValues<S['attributes']> & { readonly [K in keyof S['blocks']]: BlockValue<S['blocks'][K]> } & Labelled<S> &
      Over<S> &
      Fields<S> & { readonly [origin]: BodyOrigin }
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
