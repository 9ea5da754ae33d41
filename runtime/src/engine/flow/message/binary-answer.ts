import type { BinaryAnswer } from '../../../foundation/contracts/source.ts';
import { type FlowModel, shapesRows } from '../model.ts';
import type { FlowTools } from '../tools.ts';

/**
 * The configuration of answers that are bytes: the block that makes the answer names `_binary`. Undefined where it does
 * not, so that data with such a field is data like any other.
 */
export function binaryAnswerOf(model: FlowModel, tools: FlowTools): BinaryAnswer | undefined {
  const { response, transform } = model.values;
  if (!response?.fields.length && answersFile(model, tools)) return { type: 'configuration' };
  const shaped = model.destinations.length === 0 || shapesRows(model);
  const [fields, title] = response?.fields.length
    ? [response.fields, 'response']
    : [shaped && model.work === undefined ? (transform?.fields ?? []) : [], 'transform'];
  if (!namesBytes(fields)) return undefined;
  const type = fields.findLast(({ name }) => name === '_content_type');
  const configured = type === undefined || tools.expression(type.value, `${title}: _content_type`).program.constant;
  return { type: configured === undefined ? 'data' : 'configuration' };
}

/** Whether the answer is that of a connector, and a file. */
function answersFile(model: FlowModel, tools: FlowTools): boolean {
  const { destinations, values, work } = model;
  const [destination, ...others] = destinations;
  if (destination !== undefined) return others.length === 0 && destination.use.answersFile(destination.operation);
  const [step] = values.step;
  if (step === undefined || work !== undefined || values.transform?.fields.length) return false;
  return step.connector !== undefined && tools.connector(step.connector).answersFile(step.operation);
}

/** Whether the fields of a payload mark it as bytes. */
export function namesBytes(fields: readonly { readonly name: string }[] = []): boolean {
  return fields.some(({ name }) => name === '_binary');
}
