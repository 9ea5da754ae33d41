import { parseTolerant } from '../../cel/index.ts';
import { type Embedded, embeddedIn } from '../expressions/embedded.ts';
import { variablesAt } from '../expressions/scope.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { LanguageSupport } from '../support.ts';
import { rootOf } from '../written.ts';
import { completeExpression } from './complete-expression.ts';
import type { CompletionItem } from './completion.ts';

/** Where an expression of a debugger is asked, it may read all that a message carries so far. */
const carried = ['input', 'output', 'step', 'enriched'];

/**
 * What may be written at `caret` of an expression that is not in a file, such as in a console, best first: as if it
 * were written where the file has the expression nearest to `offset`. Ranges are of `source`.
 */
export function completeDetached(
  source: string,
  caret: number,
  file: FileState,
  offset: number,
  state: ProjectState,
  support: LanguageSupport,
): readonly CompletionItem[] {
  const nearest = nearestExpression(file, offset);
  if (nearest === undefined) return [];
  const { value } = nearest;
  const spec = { ...nearest.spec, reads: [...new Set([...(nearest.spec.reads ?? []), ...carried])] };
  const { expression, rest } = parseTolerant(source);
  const detached = { source, start: 0, end: source.length, value, spec, offsets: undefined, expression, rest };
  const items = completeExpression(detached, caret, variablesAt(value, spec, file, state, support));
  return items.toSorted((a, b) => a.rank - b.rank);
}

/** Of the root block around the offset; the one that holds the offset, else the one that begins nearest to it. */
function nearestExpression(file: FileState, offset: number): Embedded | undefined {
  const around = file.written.values.filter(({ body }) => {
    const block = rootOf(body)?.block;
    return block !== undefined && block.start <= offset && offset <= block.end;
  });
  const distance = ({ start, end }: Embedded) => (start <= offset && offset <= end ? -1 : Math.abs(start - offset));
  return around
    .flatMap((value) => embeddedIn(value, file.tree.text))
    .toSorted((a, b) => distance(a) - distance(b))
    .at(0);
}
