import type { FunctionDocumentation } from '../../cel/index.ts';
import type { Embedded } from '../expressions/embedded.ts';
import { variablesAt } from '../expressions/scope.ts';
import { columnsFor } from '../known-targets.ts';
import { placeIn } from '../place.ts';
import type { FileState, ProjectState } from '../states.ts';
import type { LanguageSupport } from '../support.ts';
import type { WrittenBody } from '../written.ts';
import { completeBody, completeColumns } from './complete-body.ts';
import { completeExpression } from './complete-expression.ts';
import { completeKey } from './complete-key.ts';
import { completeKnown, completeLabel, completeValue } from './complete-value.ts';
import type { CompletionItem } from './completion.ts';

/** What may be written at an offset, best first. */
export function complete(
  file: FileState,
  offset: number,
  state: ProjectState,
  support: LanguageSupport,
): readonly CompletionItem[] {
  return itemsAt(file, offset, state, support).toSorted((a, b) => a.rank - b.rank);
}

function itemsAt(
  file: FileState,
  offset: number,
  state: ProjectState,
  support: LanguageSupport,
): readonly CompletionItem[] {
  const { text } = file.tree;
  const place = placeIn(file, offset);
  const keys = place.kind === 'nothing' ? undefined : completeKey(file, offset, wordAt(text, offset), state, support);
  if (keys !== undefined) return keys;
  const bodyItems = (body: WrittenBody) => {
    const range = wordAt(text, offset);
    const columns = completeColumns(body, columnsFor(body, file, state, support), range);
    return [...completeBody(body, state.vocabulary, range), ...columns];
  };
  switch (place.kind) {
    case 'body':
      return bodyItems(place.body);
    case 'block':
      return place.body.outer ? completeBody(place.body.outer, state.vocabulary, wordAt(text, offset)) : [];
    case 'name':
      return bodyItems(place.value.body);
    case 'label':
      return completeLabel(place.body, offset, state);
    case 'value':
      return completeValue(place.value, offset, file, state);
    case 'expression': {
      const { embedded, value } = place;
      const variables = variablesAt(value, embedded.spec, file, state, support);
      return [
        ...completeKnown(value, offset, file, state),
        ...completeExpression(embedded, offset, variables, addedAt(embedded, state, support)),
      ];
    }
    default:
      return [];
  }
}

function wordAt(text: string, offset: number) {
  const before = /[\w-]*$/.exec(text.slice(Math.max(0, offset - 100), offset))?.[0].length ?? 0;
  const after = /^[\w-]*/.exec(text.slice(offset, offset + 100))?.[0].length ?? 0;
  return { start: offset - before, end: offset + after };
}

/** The functions that the files add, where an expression waits for them. */
function addedAt({ spec }: Embedded, state: ProjectState, support: LanguageSupport): readonly FunctionDocumentation[] {
  return spec.waits === true && support.functions !== undefined ? support.functions(state.project) : [];
}
