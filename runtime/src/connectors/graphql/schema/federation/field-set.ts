import { closest } from '@svc/protocol/text';
import type { DeclaredField, DeclaredType } from '../../../../foundation/contracts/types.ts';

export interface FieldSetProblem {
  readonly message: string;
  readonly help: string | undefined;
}

/** Why a type does not have a set of fields (`id`, `id owner { id }`), or undefined. */
export function fieldSetProblem(
  set: string,
  type: DeclaredType,
  types: ReadonlyMap<string, DeclaredType>,
): FieldSetProblem | undefined {
  const tokens = [...set.matchAll(/[{}]|[^\s{},]+/g)].map(([token]) => token);
  if (tokens.length === 0) return { message: 'a set of fields is empty', help: 'Write the names of fields.' };
  const around: { readonly name: string; readonly fields: readonly DeclaredField[] }[] = [];
  let inside: { readonly name: string; readonly fields: readonly DeclaredField[] } = type;
  let last: DeclaredField | undefined;
  for (const token of tokens) {
    if (token === '{') {
      const fields = last && fieldsIn(last, types);
      if (last === undefined || fields === undefined)
        return { message: `"${set}": ${last?.name ?? 'nothing'} has no fields of its own`, help: 'Remove the braces.' };
      around.push(inside);
      inside = { name: `${inside.name}.${last.name}`, fields };
      last = undefined;
    } else if (token === '}') {
      const outer = around.pop();
      if (outer === undefined) return { message: `"${set}": a brace is closed that was not opened`, help: undefined };
      inside = outer;
      last = undefined;
    } else {
      last = inside.fields.find(({ name }) => name === token);
      if (last !== undefined) continue;
      const names = inside.fields.map(({ name }) => name);
      const near = closest(token, names);
      return {
        message: `"${inside.name}" has no field "${token}"`,
        help: near === undefined ? `It has ${names.join(', ') || 'none'}.` : `Did you mean "${near}"?`,
      };
    }
  }
  return around.length === 0 ? undefined : { message: `"${set}": a brace is not closed`, help: 'Close it.' };
}

function fieldsIn(
  { shape, constraints }: DeclaredField,
  types: ReadonlyMap<string, DeclaredType>,
): readonly DeclaredField[] | undefined {
  if (shape.kind === 'fields') return shape.fields;
  return types.get(shape.kind === 'type' ? shape.type : (constraints.items ?? ''))?.fields;
}
