import type { AttributeSpec, BlockSpec } from '../../schema/index.ts';
import { formatHcl, quote } from '../../syntax/index.ts';

/** What is known of a block before it is written: sources of attributes by name, and of the blocks inside. */
export interface Known {
  readonly attributes?: Readonly<Record<string, string>>;
  readonly blocks?: Readonly<Record<string, Known>>;
}

/** A block in the canonical layout with everything that it must say: what is known, else something to fill in. */
export function skeletonOf(word: string, labels: readonly string[], spec: BlockSpec, known: Known = {}): string {
  return formatHcl(`${rough(word, labels, spec, known)}\n`).trimEnd();
}

function rough(
  word: string,
  labels: readonly string[],
  spec: BlockSpec,
  { attributes = {}, blocks = {} }: Known,
): string {
  const missing = Object.entries(spec.attributes).filter(
    ([name, { required }]) => required && !Object.hasOwn(attributes, name),
  );
  const inner = Object.entries(spec.blocks).filter(([name, { required }]) => required || Object.hasOwn(blocks, name));
  const lines = [
    ...Object.entries(attributes).map(([name, source]) => `${name} = ${source}`),
    ...missing.map(([name, attribute]) => `${name} = ${placeholderOf(attribute)}`),
    ...inner.map(([name, block]) => rough(name, block.label ? [block.label.name] : [], block, blocks[name] ?? {})),
  ];
  const [first, list] = labels.map(quote);
  const head = spec.over && list !== undefined ? [word, first, 'in', list] : [word, ...labels.map(quote)];
  return `${head.join(' ')} {\n${lines.map((line) => `${line}\n`).join('')}}`;
}

/** A value that can be read, for a person to change: the example, else the least there is. */
export function placeholderOf({ kind, example, choices, min }: AttributeSpec): string {
  if (example !== undefined) return example;
  switch (kind) {
    case 'int':
    case 'float':
    case 'size':
      return String(min ?? 0);
    case 'duration':
      return '"1s"';
    case 'flag':
      return 'false';
    case 'oneOf':
      return JSON.stringify(choices?.[0] ?? '');
    case 'list':
      return '[]';
    case 'map':
      return '{}';
    default:
      return '""';
  }
}
