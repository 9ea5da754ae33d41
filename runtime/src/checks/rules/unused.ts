import type { Project, ProjectRule } from '@svc/protocol/model';
import type { Origin } from '@svc/protocol/schema';
import { type Body, childrenOf, type Expression, type SyntaxTree } from '@svc/protocol/syntax';
import { namedRoots } from '../../engine/flow/root-spec.ts';

/** Declarations that nothing names, and connectors that no block uses: advice, since they do no harm. */
export const checkUnused: ProjectRule = (project, report) => {
  const declared: { readonly word: string; readonly name: string; readonly at: Origin }[] = [];
  for (const word of namedRoots) {
    const spec = project.vocabulary.blocks[word];
    if (spec) for (const { name, nameOrigin } of project.all(word, spec)) declared.push({ word, name, at: nameOrigin });
  }
  for (const { name, nameOrigin } of project.connectors.values())
    declared.push({ word: 'connector', name, at: nameOrigin });
  const unused = withoutNamed(new Set(declared.map(({ name }) => name)), project);
  const isPublished = [...project.connectors.values()].some(({ spec }) => spec?.source?.typed === true);
  for (const { word, name, at } of declared)
    if (unused.has(name) && !(word === 'type' && isPublished))
      report('unused', `${word} "${name}" is used by nothing`, at, { severity: 'info', help: 'Remove it, or use it.' });
};

const kind = new RegExp(`^(${[...namedRoots, 'connector'].join('|')})\\.`);

/** Those of the names that are written as a value nowhere. */
function withoutNamed(names: Set<string>, { files }: Project): ReadonlySet<string> {
  for (const tree of files) {
    // Most projects use all they declare, which the first files show.
    if (names.size === 0) break;
    let words = known.get(tree);
    if (words === undefined) known.set(tree, (words = wordsOf(tree)));
    for (const word of words) names.delete(word);
  }
  return names;
}

/** What trees name; a tree that did not change is not walked again. */
const known = new WeakMap<SyntaxTree, ReadonlySet<string>>();

/** Everything that could name something: whole texts, bare names, and the last parts of `kind.name`. */
function wordsOf({ body }: SyntaxTree): ReadonlySet<string> {
  const words = new Set<string>();
  const visitValue = (expression: Expression) => {
    if (expression.kind === 'template')
      // A flow may return a list of a type: `[User!]!`.
      for (const part of expression.parts)
        if (part.kind === 'text') words.add(part.value.replace(kind, '')).add(part.value.replace(/[[\]!]/g, ''));
    if (expression.kind === 'variable') words.add(expression.name);
    // A field with constraints: `address = Address({ required = false })`.
    if (expression.kind === 'call') words.add(expression.name.text);
    if (expression.kind === 'attribute-access') words.add(expression.name.text);
    for (const child of childrenOf(expression)) visitValue(child);
  };
  const visitBody = ({ items }: Body, word: string) => {
    for (const item of items)
      if (item.kind === 'block') visitBody(item.body, item.type.text);
      else if (item.value && !choosesCode(word, item.name.text)) visitValue(item.value);
  };
  visitBody(body, '');
  return words;
}

/** `type` and `driver` of a connector name no block, though a block may have the same name. */
function choosesCode(word: string, attribute: string): boolean {
  return ['connector', 'profile'].includes(word) && ['type', 'driver'].includes(attribute);
}
