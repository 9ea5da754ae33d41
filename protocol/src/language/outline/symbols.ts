import type { Block } from '../../syntax/index.ts';
import type { Range } from '../../text/index.ts';
import type { FileState } from '../states.ts';
import type { OutlineSupport, StageFamily } from '../support.ts';
import { placeOf } from './structure.ts';

/** A block as an outline of a file shows it. */
export interface DocumentSymbol {
  /** Its first label, else its word. */
  readonly name: string;
  /** Its word. */
  readonly kind: string;
  /** The family of a stage of a flow, of everything inside it, and of what others are made of by its name. */
  readonly family: StageFamily | undefined;
  readonly range: Range;
  /** The part to select: the label, else the word. */
  readonly selection: Range;
  readonly children: readonly DocumentSymbol[];
}

/** A named root block of some file. */
export interface WorkspaceSymbol {
  readonly name: string;
  readonly kind: string;
  /** The family of the stages that are made of it by its name. */
  readonly family: StageFamily | undefined;
  readonly file: string;
  readonly range: Range;
}

export function documentSymbols({ tree }: FileState, outline: OutlineSupport): readonly DocumentSymbol[] {
  return tree.body.items.flatMap((item) => (item.kind === 'block' ? [symbolOf(item, [], outline)] : []));
}

/** `above` holds the words of the blocks around it, from the root. */
function symbolOf(block: Block, above: readonly string[], outline: OutlineSupport): DocumentSymbol {
  const head = block.labels[0] ?? block.type;
  const path = [...above, block.type.text];
  return {
    name: block.labels[0]?.text || block.type.text,
    kind: block.type.text,
    family: familyOf(path, outline),
    range: { start: block.start, end: block.end },
    selection: { start: head.start, end: head.end },
    children: block.body.items.flatMap((item) => (item.kind === 'block' ? [symbolOf(item, path, outline)] : [])),
  };
}

function familyOf(path: readonly string[], outline: OutlineSupport): StageFamily | undefined {
  if (path.length > 1) return placeOf(path, { outline })?.family;
  return outline.stages.find(({ word }) => word === path[0])?.family;
}

/** Named root blocks whose name or kind holds the letters of the query in order, in any case. */
export function workspaceSymbols(
  files: Iterable<FileState>,
  query: string,
  outline: OutlineSupport,
): readonly WorkspaceSymbol[] {
  const letters = [...query.toLowerCase().replace(/\s+/g, '')];
  const found: WorkspaceSymbol[] = [];
  for (const { tree } of files)
    for (const item of tree.body.items) {
      const label = item.kind === 'block' ? item.labels[0] : undefined;
      if (item.kind !== 'block' || label === undefined) continue;
      if (holds(`${item.type.text} ${label.text}`.toLowerCase(), letters))
        found.push({
          name: label.text,
          kind: item.type.text,
          family: familyOf([item.type.text], outline),
          file: tree.file,
          range: { start: label.start, end: label.end },
        });
    }
  return found;
}

function holds(text: string, letters: readonly string[]): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
