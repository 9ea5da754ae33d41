import type { Project, ProjectRule } from '@svc/protocol/model';
import { type Body, childrenOf, type Expression } from '@svc/protocol/syntax';

/** Words whose declarations are there to be named by something else. */
const named = [
  'type',
  'validator',
  'transform',
  'cache',
  'accept',
  'response',
  'error_handling',
  'retry',
  'transaction',
];

/** Declarations that nothing names, and connectors that no block uses: advice, since they do no harm (supplement 6.3). */
export const checkUnused: ProjectRule = (project, report) => {
  const words = wordsOf(project);
  const advise = (what: string, name: string, at: Parameters<typeof report>[2]) => {
    if ((words.get(name) ?? 0) === 0)
      report('unused', `${what} "${name}" is used by nothing`, at, { severity: 'info', help: 'Remove it, or use it.' });
  };
  for (const word of named) {
    const spec = project.vocabulary.blocks[word];
    if (spec) for (const { name, nameOrigin } of project.all(word, spec)) advise(word, name, nameOrigin);
  }
  for (const { name, nameOrigin } of project.connectors.values()) advise('connector', name, nameOrigin);
};

const kind = new RegExp(`^(${[...named, 'connector'].join('|')})\\.`);

/** How often each name is written as a value anywhere: whole texts, and the last part of `kind.name`. */
function wordsOf({ files }: Project): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (word: string) => counts.set(word, (counts.get(word) ?? 0) + 1);
  const visitValue = (expression: Expression) => {
    switch (expression.kind) {
      case 'number':
      case 'boolean':
        return;
      case 'template':
        for (const part of expression.parts)
          if (part.kind === 'text') count(part.value.includes('.') ? part.value.replace(kind, '') : part.value);
        if (expression.parts.every((part) => part.kind === 'text')) return;
        break;
      case 'variable':
        return count(expression.name);
      case 'attribute-access':
        count(expression.name.text);
    }
    for (const child of childrenOf(expression)) visitValue(child);
  };
  const visitBody = ({ items }: Body, word: string) => {
    for (const item of items)
      if (item.kind === 'block') visitBody(item.body, item.type.text);
      else if (item.value && !choosesCode(word, item.name.text)) visitValue(item.value);
  };
  for (const { body } of files) visitBody(body, '');
  return counts;
}

/** `type` and `driver` of a connector name no block, though a block may have the same name. */
function choosesCode(word: string, attribute: string): boolean {
  return ['connector', 'profile'].includes(word) && ['type', 'driver'].includes(attribute);
}
