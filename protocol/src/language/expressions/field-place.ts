import { placeAt } from '../../cel/index.ts';
import { fieldAt } from '../completion/complete-expression.ts';
import { placeIn } from '../place.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { LanguageSupport } from '../support.ts';
import { sourceOffset } from './embedded.ts';
import { variablesAt } from './scope.ts';
import type { Field } from './shape.ts';

/** Where the field that an expression reads at an offset is declared: in a type, as a parameter of an operation. */
export function placeOfField(
  file: FileState,
  offset: number,
  state: ProjectState,
  support: LanguageSupport,
): Field['place'] {
  const place = placeIn(file, offset);
  if (place.kind !== 'expression') return undefined;
  const { embedded, value } = place;
  const at = sourceOffset(embedded, offset);
  const root = [embedded.expression, ...embedded.rest].findLast((one) => one.start <= at) ?? embedded.expression;
  const { nodes, locals } = placeAt(root, at);
  const read = nodes.findLast((node) => node.kind === 'select' && at >= node.fieldRange.start && at <= node.end);
  return read && fieldAt(read, variablesAt(value, embedded.spec, file, state, support), locals)?.place;
}
