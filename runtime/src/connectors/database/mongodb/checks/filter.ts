import { isOperator, type Shape } from '../documents/shape.ts';
import { expressionProblem } from './expression.ts';
import { conditionParts, conditions, filterJoins } from './operators.ts';
import { below, firstProblem, kindOf, needs, type Problem, unknownOperator } from './said.ts';

type Check = (shape: Shape, path: string) => Problem;

/** What is wrong with a filter of the configuration whatever the message. `path`: the word that it is written in. */
export function filterProblem(shape: Shape, path: string): Problem {
  if (shape.kind === 'data') return undefined;
  if (shape.kind !== 'map') return `${path} must be an object of fields and conditions, not ${kindOf(shape)}`;
  return firstProblem(shape.entries, ([name, item]) => {
    const at = below(path, name);
    if (!isOperator(name)) return conditionProblem(item, at);
    if (conditions.has(name)) return `${at} needs a field: write { field = { "${name}" = … } }`;
    return unknownOperator(name, at, filterJoins, 'filters') ?? joinProblem(name, item, at);
  });
}

function joinProblem(name: string, shape: Shape, path: string): Problem {
  if (name === '$expr') return expressionProblem(shape, path);
  if (name === '$comment') return undefined;
  if (name === '$text' || name === '$jsonSchema')
    return shape.kind === 'data'
      ? `${path} must be an object that the configuration writes`
      : needs(shape, path, 'an object');
  // A list of the message would hold filters, and what comes with a message is data.
  if (shape.kind !== 'list' || shape.items.length === 0)
    return `${path} must be a list of filters that the configuration writes`;
  return firstProblem(shape.items.entries(), ([at, item]) =>
    item.kind === 'data'
      ? `${below(path, at)} must be a filter that the configuration writes`
      : filterProblem(item, below(path, at)),
  );
}

/** What a field must be: a value, or an object of operators. */
function conditionProblem(shape: Shape, path: string): Problem {
  if (shape.kind !== 'map') return undefined;
  const names = [...shape.entries.keys()];
  const operator = names.find(isOperator);
  if (operator === undefined) return undefined;
  const field = names.find((name) => !isOperator(name));
  if (field !== undefined)
    return `${path} has ${operator} beside the field ${field}: it is either operators or a value`;
  return firstProblem(shape.entries, ([name, item]) => {
    const at = below(path, name);
    return unknownOperator(name, at, conditions, 'filters') ?? operandProblem(name, item, at, shape);
  });
}

const list: Check = (shape, path) => needs(shape, path, 'a list');
const number: Check = (shape, path) => needs(shape, path, 'a number');
const text: Check = (shape, path) => needs(shape, path, 'a text');
const parts: Check = (shape, path) =>
  needs(shape, path, 'an object') ??
  (shape.kind === 'map'
    ? firstProblem([...shape.entries.keys()].filter(isOperator), (name) =>
        unknownOperator(name, below(path, name), conditionParts, 'places'),
      )
    : undefined);

const operands: Readonly<Record<string, Check>> = {
  $in: list,
  $nin: list,
  $size: number,
  $exists: (shape, path) => needs(shape, path, 'true or false', 'a number'),
  $regex: text,
  $options: text,
  $type: (shape, path) => needs(shape, path, 'a text', 'a number', 'a list'),
  $mod: (shape, path) =>
    list(shape, path) ??
    (shape.kind === 'list' && shape.items.length !== 2 ? `${path} must be divisor and remainder` : undefined),
  $all: (shape, path) =>
    list(shape, path) ??
    (shape.kind === 'list'
      ? firstProblem(shape.items.entries(), ([at, item]) => conditionProblem(item, below(path, at)))
      : undefined),
  $not: (shape, path) =>
    shape.kind === 'map' && [...shape.entries.keys()].every(isOperator) && shape.entries.size > 0
      ? conditionProblem(shape, path)
      : `${path} must be an object of operators that the configuration writes`,
  $elemMatch: (shape, path) => {
    if (shape.kind !== 'map') return `${path} must be an object that the configuration writes`;
    const isOfValues = [...shape.entries.keys()].some((name) => conditions.has(name));
    return isOfValues ? conditionProblem(shape, path) : filterProblem(shape, path);
  },
  $geoWithin: parts,
  $geoIntersects: parts,
};

function operandProblem(name: string, shape: Shape, path: string, around: Shape): Problem {
  if (name === '$options' && around.kind === 'map' && !around.entries.has('$regex')) return `${path} needs $regex`;
  return operands[name]?.(shape, path);
}
