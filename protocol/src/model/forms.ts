import type { BlockSpec } from '../schema/index.ts';
import type { Attribute, Block, Expression, ObjectEntry } from '../syntax/index.ts';
import type { SourcedAttribute, SourcedBlock } from './items.ts';

/** Whether it was written as a block. The parser itself objects to two attributes of one name. */
export function isBlockForm({ item }: SourcedAttribute): boolean {
  return item.value?.start === item.name.start;
}

/** `params { a = 1 }` means `params = { a = 1 }`. */
export function blockAsAttribute(sourced: SourcedBlock): SourcedAttribute {
  const { item } = sourced;
  const entries: ObjectEntry[] = item.body.items.flatMap((inner) =>
    inner.kind === 'attribute' && inner.value
      ? [
          {
            key: { kind: 'variable', name: inner.name.text, ...rangeOf(inner.name) },
            value: inner.value,
            ...rangeOf(inner),
          },
        ]
      : inner.kind === 'block'
        ? [
            {
              key: { kind: 'variable', name: inner.type.text, ...rangeOf(inner.type) },
              value: blockAsAttribute({ ...sourced, item: inner }).item.value as Expression,
              ...rangeOf(inner),
            },
          ]
        : [],
  );
  const value: Expression = { kind: 'object', entries, ...rangeOf(item) };
  const attribute: Attribute = { kind: 'attribute', name: item.type, value, ...rangeOf(item) };
  return { ...sourced, item: attribute };
}

/**
 * `headers = { A = "x" }` means `headers { A = "x" }`, `filter = "…"` means `filter { condition = "…" }`, and
 * `cache = cache.products` means `cache { use = cache.products }`.
 */
export function attributeAsBlock(sourced: SourcedAttribute, spec: BlockSpec): SourcedBlock | undefined {
  const { name, value } = sourced.item;
  let items: Attribute[];
  if (value?.kind === 'object' && (spec.asAttribute || spec.reusable || spec.shorthand !== undefined))
    items = value.entries.flatMap(({ key, value: entry, start, end }) => {
      const text = key.kind === 'variable' ? key.name : key.kind === 'template' ? singleText(key.parts) : undefined;
      if (text === undefined) return [];
      return [{ kind: 'attribute', name: { text, ...rangeOf(key) }, value: entry, start, end } as const];
    });
  else if (value && spec.shorthand !== undefined)
    items = [{ kind: 'attribute', name: { text: spec.shorthand, ...rangeOf(name) }, value, ...rangeOf(value) }];
  else if (value && spec.reusable && (value.kind === 'attribute-access' || value.kind === 'template'))
    items = [{ kind: 'attribute', name: { text: 'use', ...rangeOf(name) }, value, ...rangeOf(value) }];
  else return undefined;
  const range = rangeOf(value);
  const block: Block = { kind: 'block', type: name, labels: [], body: { items, ...range }, complete: true, ...range };
  return { ...sourced, item: block };
}

/** Where names are free, a text is a field although a block has its name: `headers = "input.headers"` beside `headers { … }`. */
export function isFreeField({ item: { name, value } }: SourcedAttribute, { fields, blocks }: BlockSpec): boolean {
  return fields !== undefined && blocks[name.text]?.asAttribute === true && value?.kind === 'template';
}

function singleText(parts: readonly { readonly kind: string; readonly value?: unknown }[]): string | undefined {
  const [only] = parts;
  return parts.length === 1 && only?.kind === 'text' ? (only.value as string) : undefined;
}

function rangeOf({ start, end }: { readonly start: number; readonly end: number }) {
  return { start, end };
}
