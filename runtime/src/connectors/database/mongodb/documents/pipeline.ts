import { Failure } from '../../../../errors/failure.ts';
import { fromJson } from '../../values/json.ts';
import type { Document, Encoder } from './encoder.ts';
import { ExpressionBuilder } from './expression.ts';
import { FilterBuilder } from './filter.ts';
import { entryOf, itemOf, parameterIn, type Shape, scriptIn, shapeOfJson } from './shape.ts';

/** Stages that write what a pipeline gives. */
const writing: readonly string[] = ['$out', '$merge'];
/** Parts of stages that are filters; everything else is made of expressions. */
const filtering: readonly string[] = ['$match', 'restrictSearchWithMatch'];
const mostStages = 1000;

/** A pipeline that the configuration wrote as JSON, with `":name"` for its parameters. */
export interface Pipeline {
  readonly stages: readonly Document[];
  readonly shape: Shape;
  /** The last stage writes. */
  readonly writes: boolean;
}

/** Reads a pipeline; a text says what is wrong with it. Pure: it runs while people type. */
export function readPipeline(text: string): Pipeline | string {
  let stages: unknown;
  try {
    stages = fromJson(text, false);
  } catch (error) {
    return `the query is not a JSON pipeline: ${(error as Error).message}`;
  }
  if (!Array.isArray(stages) || stages.length > mostStages)
    return 'the query must be a pipeline: a JSON list of stages, such as [{"$match": {"state": ":state"}}]';
  const wrong = stages.findIndex((stage) => !isStage(stage));
  if (wrong >= 0)
    return `stage ${wrong + 1} of the pipeline must be an object with one operator, such as {"$match": {}}`;
  const shape = shapeOfJson(stages);
  const script = scriptIn(shape);
  if (script !== undefined) return `the pipeline has ${script}, which runs code on the server and is not sent`;
  const nameOf = (stage: Document) => Object.keys(stage)[0] as string;
  const [...names] = (stages as Document[]).map(nameOf);
  if (names.includes('$changeStream')) return 'changes are taken by a flow `from` the connector, not by a pipeline';
  return { stages, shape, writes: writing.includes(names.at(-1) ?? '') };
}

function isStage(stage: unknown): boolean {
  if (typeof stage !== 'object' || stage === null || Array.isArray(stage)) return false;
  const [name, ...others] = Object.keys(stage);
  return name?.startsWith('$') === true && others.length === 0;
}

/** Whether a text is a pipeline that writes nothing; undefined when it is not one. */
export class PipelineBuilder {
  readonly #filters: FilterBuilder;
  readonly #expressions: ExpressionBuilder;

  constructor(encoder: Encoder) {
    this.#filters = new FilterBuilder(encoder);
    this.#expressions = new ExpressionBuilder(encoder);
  }

  /** The pipeline of a message; `lookup` gives the value of a parameter, or undefined. Throws a Failure that names one. */
  build({ stages, shape }: Pipeline, lookup: (name: string) => unknown, where: string): Document[] {
    const given = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(given);
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, given(item)]));
      const name = typeof value === 'string' ? parameterIn(value) : undefined;
      if (name === undefined) return value;
      const found = lookup(name);
      if (found === undefined) throw missing(name, where);
      return found;
    };
    return this.#stages(given(stages), shape, '') as Document[];
  }

  /** Stages, and pipelines inside of them. */
  #stages(value: unknown, shape: Shape, path: string): unknown {
    if (shape.kind === 'list')
      return (value as unknown[]).map((item, at) => this.#stages(item, itemOf(shape, at), path));
    if (shape.kind !== 'map') return this.#expressions.build(value, shape, path);
    const made: Document = {};
    for (const [name, item] of Object.entries(value as Document)) {
      const own = entryOf(shape, name);
      made[name] =
        filtering.includes(name) && own.kind === 'map'
          ? this.#filters.build(item as Document, own, path)
          : this.#stages(item, own, path === '' ? name : `${path}.${name}`);
    }
    return made;
  }
}

function missing(name: string, where: string): Failure {
  return new Failure('connector_failed', `${where}: nothing gives the parameter :${name} of the pipeline a value`, {
    retriable: false,
  });
}
