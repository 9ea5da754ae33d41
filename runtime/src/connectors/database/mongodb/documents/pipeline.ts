import type { Document, Encoder } from './encoder.ts';
import { ExpressionBuilder } from './expression.ts';
import { FilterBuilder } from './filter.ts';
import { type Lookup, withParameters } from './parameters.ts';
import type { Pipeline } from './pipeline-text.ts';
import { entryOf, itemOf, type Shape } from './shape.ts';

/** Parts of stages that are filters; everything else is made of expressions. */
const filtering: readonly string[] = ['$match', 'restrictSearchWithMatch'];

/** Makes the pipeline of a message of the one that the configuration wrote. */
export class PipelineBuilder {
  readonly #filters: FilterBuilder;
  readonly #expressions: ExpressionBuilder;

  constructor(encoder: Encoder) {
    this.#filters = new FilterBuilder(encoder);
    this.#expressions = new ExpressionBuilder(encoder);
  }

  /** The pipeline of a message. Throws a Failure that names a parameter without a value. */
  build({ stages, shape }: Pipeline, lookup: Lookup, where: string): Document[] {
    return this.complete(withParameters(stages, lookup, where), shape);
  }

  /** The same of stages that have their parameters already. */
  complete(stages: unknown, shape: Shape): Document[] {
    return this.#stages(stages, shape, '') as Document[];
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
