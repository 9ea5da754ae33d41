import { type BlockSpec, block, text } from '@svc/protocol/schema';
import { order } from './pipeline/order.ts';

type Described = (typeof order)[number];
type Word<D> = D extends { readonly word: infer W extends string } ? W : never;
type Block<D> = D extends { readonly block: infer B extends BlockSpec } ? B : never;

/** What may be written in a flow for its stages, each block once, by word. */
type Blocks = { readonly [D in Described as Word<D>]: Block<D> };

/** The `flow` block: one blocks entry per stage, in the order in which a message passes them. */
export const flow = block({
  doc: 'Takes messages from one connector through stages to others, and answers. It has `from`, `when` or both, unless the action of an aspect calls it by its name.',
  label: { name: 'name', doc: 'Name of the flow in logs, metrics and traces.' },
  repeated: true,
  attributes: {
    returns: text(
      'Type of the answer in exports and in protocols with types: `User`, `User!`, `User[]` or `[User!]!`, or a scalar such as `Int`. It is not checked, as `validate` does.',
      { example: '"[order!]!"' },
    ),
    entity: text(
      'Type whose references the flow resolves, for other services of a federation: its message is the reference, its answer the object.',
      { example: '"order"', refersTo: 'type' },
    ),
  },
  blocks: Object.fromEntries(
    order.flatMap(({ word, block }) => (word === undefined ? [] : [[word, block]])),
  ) as unknown as Blocks,
  example:
    'flow "get_order" {\n  from {\n    connector = "api"\n    operation = "GET /orders/:id"\n  }\n  to {\n    connector = "db"\n    target    = "orders"\n  }\n}',
});
