/** One visible line of a tree. */
export interface TreeRow {
  readonly id: string;
  /** From 1. */
  readonly level: number;
  /** Undefined where nothing is inside. */
  readonly isOpen: boolean | undefined;
}

/** What a key does in a tree: it goes to a row, or opens or closes one. Undefined for keys that mean nothing here. */
export type TreeStep = { readonly go: string } | { readonly toggle: string } | undefined;

/** Keys of trees as people know them; `rows` are those that can be seen. */
export function treeStep(rows: readonly TreeRow[], current: string | undefined, key: string): TreeStep {
  const at = rows.findIndex(({ id }) => id === current);
  const row = rows[at];
  const to = (index: number): TreeStep => {
    const found = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    return found && { go: found.id };
  };
  switch (key) {
    case 'ArrowDown':
      return to(at + 1);
    case 'ArrowUp':
      return to(at - 1);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'ArrowRight':
      if (row?.isOpen === undefined) return undefined;
      return row.isOpen ? to(at + 1) : { toggle: row.id };
    case 'ArrowLeft': {
      if (row?.isOpen) return { toggle: row.id };
      const outer = rows.findLast(({ level }, index) => index < at && row !== undefined && level < row.level);
      return outer && { go: outer.id };
    }
    default:
      return undefined;
  }
}
