import { fromJson } from '../../values/json.ts';
import { pipelineProblem } from '../checks/pipeline.ts';
import { type Shape, shapeOfJson } from './shape.ts';

/** Stages that write what a pipeline gives. */
const writing: readonly string[] = ['$out', '$merge'];
const mostStages = 1000;

/** A pipeline that the configuration wrote as JSON, with `":name"` for its parameters. */
export interface Pipeline {
  readonly stages: readonly Readonly<Record<string, unknown>>[];
  readonly shape: Shape;
  /** The last stage writes. */
  readonly writes: boolean;
}

/** Reads a pipeline; a text says what is wrong with it. Pure: it runs while people type. */
export function readPipeline(text: string): Pipeline | string {
  let read: unknown;
  try {
    read = fromJson(text, false);
  } catch (error) {
    return `the query is not a JSON pipeline: ${(error as Error).message}`;
  }
  if (!Array.isArray(read) || read.length > mostStages)
    return 'the query must be a pipeline: a JSON list of stages, such as [{"$match": {"state": ":state"}}]';
  const shape = shapeOfJson(read) as Extract<Shape, { readonly kind: 'list' }>;
  const problem = pipelineProblem(shape);
  if (problem !== undefined) return problem;
  const stages = read as Pipeline['stages'];
  const [last = ''] = Object.keys(stages.at(-1) ?? {});
  return { stages, shape, writes: writing.includes(last) };
}
