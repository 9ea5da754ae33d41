import { isOperator, type Shape, scriptIn } from '../documents/shape.ts';
import { expressionProblem } from './expression.ts';
import { filterProblem } from './filter.ts';
import { stages as known } from './operators.ts';
import { below, firstProblem, kindOf, needs, needsConstant, type Problem, unknownOperator } from './said.ts';

type List = Extract<Shape, { readonly kind: 'list' }>;

/** What is wrong with a pipeline of the configuration whatever the message. */
export function pipelineProblem(shape: List): Problem {
  const script = scriptIn(shape);
  if (script !== undefined) return `the pipeline has ${script}, which runs code on the server and is not sent`;
  return stagesProblem(shape, 'query', true);
}

/** `mayWrite`: it is the whole pipeline, whose last stage may write. */
function stagesProblem(shape: Shape, path: string, mayWrite: boolean): Problem {
  if (shape.kind !== 'list') return `${path} must be a list of stages`;
  const last = shape.items.length - 1;
  return firstProblem(shape.items.entries(), ([at, stage]) => {
    const place = below(path, at);
    const [entry, ...others] = stage.kind === 'map' ? [...stage.entries] : [];
    if (entry === undefined || others.length > 0 || !isOperator(entry[0]))
      return `${place} must be a stage: an object with one operator, such as {"$match": {}}`;
    const [name, item] = entry;
    if (name === '$changeStream') return 'changes are taken by a flow `from` the connector, not by a pipeline';
    if (name === '$out' || name === '$merge') {
      if (!mayWrite) return `${below(place, name)} writes, which only the last stage of the whole pipeline does`;
      if (at < last) return `${below(place, name)} must be the last stage`;
    }
    return (
      unknownOperator(name, below(place, name), known, 'pipelines') ?? stageProblem(name, item, below(place, name))
    );
  });
}

/** Stages whose operand is an object; those of which a field names a collection say which one. */
const objects: Readonly<Record<string, readonly string[]>> = {
  $addFields: [],
  $bucket: [],
  $bucketAuto: [],
  $densify: [],
  $facet: [],
  $fill: [],
  $geoNear: [],
  $graphLookup: ['from'],
  $group: [],
  $lookup: ['from'],
  $project: [],
  $replaceRoot: [],
  $sample: [],
  $set: [],
  $setWindowFields: [],
  $sort: [],
};
/** Stages that name a collection in place of an object. */
const naming: Readonly<Record<string, readonly string[]>> = {
  $out: ['db', 'coll'],
  $merge: ['into'],
  $unionWith: ['coll'],
};
/** Fields without which a stage does nothing. */
const required: Readonly<Record<string, readonly string[]>> = {
  $group: ['_id'],
  $lookup: ['as'],
  $graphLookup: ['from', 'startWith', 'connectFromField', 'connectToField', 'as'],
  $bucket: ['groupBy', 'boundaries'],
  $bucketAuto: ['groupBy', 'buckets'],
  $replaceRoot: ['newRoot'],
  $sample: ['size'],
};

function stageProblem(name: string, shape: Shape, path: string): Problem {
  if (name === '$match') {
    if (shape.kind !== 'map') return `${path} must be a filter that the pipeline writes`;
    return filterProblem(shape, path);
  }
  if (name === '$limit' || name === '$skip') return countProblem(name, shape, path);
  if (name === '$count') return needs(shape, path, 'a text');
  if (name === '$unwind') return unwindProblem(shape, path);
  if (name === '$unset') return needs(shape, path, 'a text', 'a list');
  const places = objects[name] ?? naming[name];
  const misshapen =
    name in naming ? collectionProblem(shape, path) : name in objects ? needs(shape, path, 'an object') : undefined;
  if (misshapen !== undefined) return misshapen;
  if (shape.kind === 'data' && name in objects) return `${path} must be an object that the pipeline writes`;
  if (shape.kind !== 'map') return expressionProblem(shape, path);
  const missing = required[name]?.find((field) => !shape.entries.has(field));
  if (missing !== undefined) return `${path} needs ${missing}`;
  const named = firstProblem(places ?? [], (field) => collectionProblem(shape.entries.get(field), below(path, field)));
  return named ?? partsProblem(name, shape, path);
}

function collectionProblem(shape: Shape | undefined, path: string): Problem {
  const problem = needsConstant(shape, path);
  if (problem !== undefined || shape?.kind !== 'map') return problem;
  return firstProblem(shape.entries, ([name, item]) =>
    ['db', 'coll'].includes(name) ? needsConstant(item, below(path, name)) : undefined,
  );
}

function partsProblem(name: string, shape: Extract<Shape, { readonly kind: 'map' }>, path: string): Problem {
  if (name === '$sort') return sortProblem(shape, path);
  if (name === '$facet')
    return firstProblem(shape.entries, ([field, item]) => stagesProblem(item, below(path, field), false));
  return firstProblem(shape.entries, ([field, item]) => {
    const at = below(path, field);
    if (field === 'pipeline') return stagesProblem(item, at, false);
    if (field === 'restrictSearchWithMatch' || (name === '$geoNear' && field === 'query'))
      return filterProblem(item, at);
    // Their own words are not evaluated.
    if (
      [
        '$fill',
        '$densify',
        '$geoNear',
        '$merge',
        '$search',
        '$searchMeta',
        '$vectorSearch',
        '$rankFusion',
        '$scoreFusion',
      ].includes(name)
    )
      return undefined;
    if (name === '$setWindowFields' && field === 'output') return windowsProblem(item, at);
    return expressionProblem(item, at);
  });
}

/** Each field of the output has one operator, and the window that it sees beside it. */
function windowsProblem(shape: Shape, path: string): Problem {
  if (shape.kind !== 'map') return needs(shape, path, 'an object');
  return firstProblem(shape.entries, ([field, item]) => {
    if (item.kind !== 'map') return expressionProblem(item, below(path, field));
    const entries = new Map([...item.entries].filter(([name]) => name !== 'window'));
    return expressionProblem({ kind: 'map', entries }, below(path, field));
  });
}

function sortProblem(shape: Extract<Shape, { readonly kind: 'map' }>, path: string): Problem {
  if (shape.entries.size === 0) return `${path} names no field`;
  return firstProblem(shape.entries, ([field, item]) =>
    item.kind === 'constant' && !['1', '-1'].includes(String(item.value))
      ? `${below(path, field)} must be 1 or -1`
      : undefined,
  );
}

function countProblem(name: string, shape: Shape, path: string): Problem {
  if (shape.kind === 'data') return undefined;
  const value = shape.kind === 'constant' ? shape.value : undefined;
  const least = name === '$limit' ? 1 : 0;
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= least;
  return isCount ? undefined : `${path} must be a whole number of ${least} or more`;
}

function unwindProblem(shape: Shape, path: string): Problem {
  const field = shape.kind === 'map' ? shape.entries.get('path') : shape;
  if (field === undefined) return `${path} needs path`;
  if (field.kind !== 'constant') return kindOf(field) === undefined ? undefined : `${path} must name a field: "$lines"`;
  return typeof field.value === 'string' && field.value.startsWith('$')
    ? undefined
    : `${path} must name a field: "$lines"`;
}
