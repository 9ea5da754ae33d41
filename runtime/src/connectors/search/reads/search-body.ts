import type { Template } from './template.ts';

/** Keys of a body that ask for what is not built, with what to do instead. */
const notBuilt: Readonly<Record<string, string>> = {
  pit: 'a point in time is not built; read further with search_after and the `_sort` of the last row',
  scroll: 'scrolling is not built; read further with search_after and the `_sort` of the last row',
  slice: 'slices are not built, since scrolling is not',
};

/**
 * Why the body of a search cannot be sent whatever the message, or undefined: a page behind another one needs the order that
 * both have, and no position. Pure: it runs while people type.
 */
export function searchBodyProblem(body: Template | undefined): string | undefined {
  if (body?.kind !== 'map') return undefined;
  const parts = new Map(body.entries);
  for (const name of Object.keys(notBuilt)) if (parts.has(name)) return `body.${name}: ${notBuilt[name]}`;
  const after = parts.get('search_after');
  if (after === undefined) return undefined;
  const sort = parts.get('sort');
  if (sort === undefined) return 'body.search_after needs body.sort: the order in which it is after something';
  const from = parts.get('from');
  if (from !== undefined && !(from.kind === 'constant' && Number(from.value) === 0))
    return 'body.search_after takes the place of body.from; write one of them';
  const [given, wanted] = [lengthOf(after), lengthOf(sort)];
  if (given === undefined || wanted === undefined || given === wanted) return undefined;
  return `body.search_after has ${given} values, and body.sort has ${wanted} keys: it is the \`_sort\` of a row, whole`;
}

/** How many keys or values are written; undefined where the message says it. */
function lengthOf(template: Template): number | undefined {
  if (template.kind === 'list') return template.items.length;
  if (template.kind === 'map') return 1;
  if (template.kind !== 'constant') return undefined;
  return Array.isArray(template.value) ? template.value.length : 1;
}
