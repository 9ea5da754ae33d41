import { literalText } from '../syntax/index.ts';
import type { Range } from '../text/index.ts';
import type { FileState } from './states.ts';
import { rootOf, type WrittenBody, type WrittenValue } from './written.ts';

/** A connector or a flow as a canvas draws it. */
export interface OutlineNode {
  /** `connector api`, `flow register`: the same as long as the name is. */
  readonly id: string;
  readonly kind: 'connector' | 'flow';
  readonly name: string;
  /** Type and driver of a connector as they are written; empty for flows and while there is no type. */
  readonly detail: string;
  readonly file: string;
  /** The whole block. */
  readonly range: Range;
  /** The name. */
  readonly selection: Range;
  /** The blocks directly inside a flow, in written order. */
  readonly stages: readonly OutlineStage[];
}

export interface OutlineStage {
  /** The word of the block. */
  readonly word: string;
  /** Its label; empty when it has none. */
  readonly name: string;
  readonly range: Range;
}

/** A flow names a connector. */
export interface OutlineEdge {
  /** `in` where messages come from, `out` for every other use. */
  readonly direction: 'in' | 'out';
  readonly flow: string;
  readonly connector: string;
  /** The word of the block that names it, and that block's label. */
  readonly word: string;
  readonly name: string;
  readonly file: string;
  /** The block that names it. */
  readonly range: Range;
  /** False when no connector has the name. */
  readonly resolved: boolean;
}

/** Connectors, flows and what joins them, in the order of files and places. */
export interface Outline {
  readonly nodes: readonly OutlineNode[];
  readonly edges: readonly OutlineEdge[];
}

/** Draws a project. Flows and connectors of equal names are nodes of their own, with `#2` behind the second's id. */
export function outlineOf(files: Iterable<FileState>): Outline {
  const nodes: OutlineNode[] = [];
  const edges: Omit<OutlineEdge, 'resolved'>[] = [];
  const ids = new Map<string, number>();
  for (const file of [...files].sort((a, b) => (a.tree.file < b.tree.file ? -1 : 1))) {
    const idOf = new Map<WrittenBody, string>();
    for (const body of file.written.bodies) {
      const node = nodeOf(body, file.tree.file);
      if (node === undefined) continue;
      const count = (ids.get(node.id) ?? 0) + 1;
      ids.set(node.id, count);
      const id = count === 1 ? node.id : `${node.id}#${count}`;
      idOf.set(body, id);
      nodes.push({ ...node, id });
    }
    for (const value of file.written.values) {
      const edge = edgeOf(value, idOf, file.tree.file);
      if (edge) edges.push(edge);
    }
  }
  return { nodes, edges: edges.map((edge) => ({ ...edge, resolved: ids.has(edge.connector) })) };
}

function nodeOf({ block, body, outer, connector }: WrittenBody, file: string): OutlineNode | undefined {
  const kind = block?.type.text;
  if (block === undefined || outer?.block !== undefined || (kind !== 'connector' && kind !== 'flow')) return undefined;
  const name = block.labels[0]?.text ?? '';
  const head = block.labels[0] ?? block.type;
  const stages = body.items.flatMap((item) =>
    item.kind === 'block' ? [{ word: item.type.text, name: item.labels[0]?.text ?? '', range: rangeOf(item) }] : [],
  );
  return {
    id: `${kind} ${name}`,
    kind,
    name,
    detail: connector ? [connector.type, connector.driver].filter((word) => word !== undefined).join(' ') : '',
    file,
    range: rangeOf(block),
    selection: rangeOf(head),
    stages: kind === 'flow' ? stages : [],
  };
}

/** References to connectors inside flows; a variable that the reference tells about says that messages come from there. */
function edgeOf(
  { spec, value, body }: WrittenValue,
  idOf: ReadonlyMap<WrittenBody, string>,
  file: string,
): Omit<OutlineEdge, 'resolved'> | undefined {
  if (spec?.kind !== 'reference' || (spec.refersTo !== 'connector' && spec.refersTo !== 'storage')) return undefined;
  const root = rootOf(body);
  const flow = root && idOf.get(root);
  const name = value?.kind === 'attribute-access' ? value.name.text : literalText(value)?.replace(/^connector\./, '');
  if (flow === undefined || root?.block?.type.text !== 'flow' || name === undefined || name === '') return undefined;
  const block = body.block ?? root.block;
  return {
    direction: spec.tells === undefined ? 'out' : 'in',
    flow,
    connector: `connector ${name}`,
    word: block.type.text,
    name: block.labels[0]?.text ?? '',
    file,
    range: rangeOf(block),
  };
}

function rangeOf({ start, end }: Range): Range {
  return { start, end };
}
