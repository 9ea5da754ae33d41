import { type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { type Conditions, readConditions } from './expand.ts';
import type { Variables } from './variables.ts';

/** What is selected below a field. */
export interface Selected {
  /** Names of the fields at the top. */
  readonly names: readonly string[];
  /** Every field as a path with dots, those at the top included. */
  readonly paths: readonly string[];
}

/** What is selected below a place for given variables. */
export type Selection = (variables: Variables) => Selected;

interface Entry {
  readonly path: string;
  readonly top: boolean;
  readonly conditions: Conditions;
}

/** Names of types' own fields, whatever their alias; decided once where no variable excludes any. */
export function selectionOf(nodes: readonly FieldNode[]): Selection {
  const entries: Entry[] = [];
  const visit = ({ selections }: SelectionSetNode, prefix: string, above: Conditions) => {
    for (const node of selections) {
      const own = readConditions(node);
      const conditions = own.length === 0 ? above : [...above, ...own];
      if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, prefix, conditions);
      else if (node.kind === Kind.FIELD && !node.name.value.startsWith('__')) {
        const path = `${prefix}${node.name.value}`;
        entries.push({ path, top: prefix === '', conditions });
        if (node.selectionSet) visit(node.selectionSet, `${path}.`, conditions);
      }
    }
  };
  for (const { selectionSet } of nodes) if (selectionSet) visit(selectionSet, '', []);
  if (entries.every(({ conditions }) => conditions.length === 0)) {
    const selected = gathered(entries);
    return () => selected;
  }
  return (variables) => gathered(entries.filter(({ conditions }) => hold(conditions, variables)));
}

/** What any of several places selects. */
export function united(selections: readonly Selected[]): Selected {
  return {
    names: [...new Set(selections.flatMap(({ names }) => names))],
    paths: [...new Set(selections.flatMap(({ paths }) => paths))],
  };
}

function gathered(entries: readonly Entry[]): Selected {
  return {
    names: [...new Set(entries.flatMap(({ top, path }) => (top ? path : [])))],
    paths: [...new Set(entries.map(({ path }) => path))],
  };
}

/** Whether everything that decides is as it must be. */
export function hold(conditions: Conditions, variables: Variables): boolean {
  return conditions.every(({ variable, is }) => variables[variable] === is);
}
