import { isOperator, type Shape, scriptIn } from '../documents/shape.ts';
import { pushParts, updates } from './operators.ts';
import { below, firstProblem, needs, type Problem, unknownOperator } from './said.ts';

/** What is wrong with an `update` of the configuration whatever the message. */
export function updateProblem(shape: Shape): Problem {
  if (shape.kind !== 'map')
    return 'update must be an object of operators that the configuration writes, such as { "$set" = { … } }';
  const names = [...shape.entries.keys()];
  const other = names.find((name) => !isOperator(name));
  if (other !== undefined)
    return `update has "${other}", which is not an operator: write { "$set" = { ${other} = … } }`;
  if (names.length === 0) return 'update has no operator';
  const script = scriptIn(shape);
  if (script !== undefined) return `update has ${script}, which runs code on the server and is not sent`;
  return firstProblem(shape.entries, ([name, item]) => operatorProblem(name, item)) ?? conflictIn(shape);
}

function operatorProblem(name: string, shape: Shape): Problem {
  const path = below('update', name);
  const problem = unknownOperator(name, path, updates, 'updates') ?? needs(shape, path, 'an object');
  if (problem !== undefined || shape.kind !== 'map') return problem;
  if (shape.entries.size === 0) return `${path} names no field`;
  return firstProblem(shape.entries, ([field, item]) => fieldProblem(name, field, item, below(path, field)));
}

function fieldProblem(operator: string, field: string, shape: Shape, path: string): Problem {
  if (isOperator(field)) return `${path} must name a field: operators are not written in each other`;
  if (field === '' || field.split('.').includes('')) return `${path} is not the name of a field`;
  switch (operator) {
    case '$inc':
    case '$mul':
      return needs(shape, path, 'a number');
    case '$rename':
      return shape.kind === 'data'
        ? `${path} names a field and must be written in the configuration`
        : needs(shape, path, 'a text');
    case '$pullAll':
      return needs(shape, path, 'a list');
    case '$pop':
      return shape.kind === 'constant' && !['1', '-1'].includes(String(shape.value))
        ? `${path} must be 1 for the last element, or -1 for the first`
        : undefined;
    case '$push':
    case '$addToSet':
      return partsProblem(shape, path, operator);
    case '$bit':
      return needs(shape, path, 'an object');
    default:
      return undefined;
  }
}

function partsProblem(shape: Shape, path: string, operator: string): Problem {
  if (shape.kind !== 'map') return undefined;
  const parts = [...shape.entries.keys()].filter(isOperator);
  if (parts.length === 0) return undefined;
  const known: ReadonlySet<string> = operator === '$push' ? pushParts : new Set(['$each']);
  const unknown = firstProblem(parts, (name) => unknownOperator(name, below(path, name), known, operator));
  if (unknown !== undefined) return unknown;
  const each = shape.entries.get('$each');
  return each === undefined ? `${path} needs $each` : needs(each, below(path, '$each'), 'a list');
}

/** The server changes no field twice, nor one inside another that it changes. */
function conflictIn(shape: Extract<Shape, { readonly kind: 'map' }>): Problem {
  const seen: string[] = [];
  for (const item of shape.entries.values()) {
    if (item.kind !== 'map') continue;
    for (const field of item.entries.keys()) {
      const other = seen.find((one) => one === field || one.startsWith(`${field}.`) || field.startsWith(`${one}.`));
      if (other !== undefined)
        return other === field
          ? `update changes ${field} twice`
          : `update changes ${other} and ${field}, one of which is inside the other`;
      seen.push(field);
    }
  }
  return undefined;
}
