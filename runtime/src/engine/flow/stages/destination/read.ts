import { copySelection } from '@svc/protocol/cel';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { Mapping } from '../../compile/mapping.ts';
import type { Frame } from '../../message/frame.ts';
import type { Step, StepPart } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { compileEnrichment, type Enrichment } from '../enrich/enrichment.ts';
import { enrichmentsOf } from '../enrich/stage.ts';
import { transformOf } from '../transform/stage.ts';
import { readAnswer } from './answer.ts';
import { type Destination, stageName } from './destination.ts';
import type { Fields } from './payload.ts';
import { compileRequest, prepareDestination, titleOf } from './request.ts';

/**
 * Reads the one destination of a reading flow. `narrows`: only the caller reads its rows, so that they need not have what
 * it does not select.
 */
export function read(
  model: FlowModel,
  destination: Destination,
  tools: FlowTools,
  exact: boolean,
  narrows: boolean,
): StepPart {
  const build = compileRequest(model, destination, tools);
  const execute = prepareDestination(model, destination, tools, exact);
  const keep = (frame: Frame, result: CallResult) => {
    frame.answer = readAnswer(result, exact);
    return undefined;
  };
  return {
    stage: 'read',
    name: stageName(destination),
    title: titleOf(destination),
    step: (frame) => {
      const request = build(frame, frame.output as Fields | undefined);
      if (narrows) request.columns = frame.message.columns;
      const result = execute(request);
      return result instanceof Promise ? result.then((settled) => keep(frame, settled)) : keep(frame, result);
    },
  };
}

/**
 * Enriches and transforms every row that was read, with the row laid over the message as `input`
 * (docs/specification/flow.md#destinations). Without a transform, enrichments would change nothing and do not run.
 */
export function shape(model: FlowModel, tools: FlowTools, isRead: (name: string) => boolean): StepPart[] {
  const mapping = transformOf(model, tools);
  if (mapping === undefined) return [];
  const enrichments = enrichmentsOf(model).map((values) =>
    compileEnrichment(model.name, values, tools, isRead(values.label)),
  );
  const step: Step = enrichments.length === 0 ? shapeRows(mapping) : enrichRows(mapping, enrichments);
  return [
    {
      stage: 'transform',
      name: '',
      title: 'transform',
      rules: mapping.rules,
      step,
      ruled: (watch) => enrichRows(mapping, enrichments, (frame, output) => mapping.fillWatched(frame, output, watch)),
    },
  ];
}

function shapeRows(mapping: Mapping): Step {
  return (frame) => {
    const { answer, input } = frame;
    const rows = rowsOf(answer);
    if (rows === undefined) return undefined;
    const shaped: Fields[] = [];
    for (const row of rows) {
      frame.input = rowInput(input, row);
      const output = mapping.start();
      frame.output = output;
      shaped.push(mapping.fill(frame, output));
    }
    return finish(frame, input, shaped);
  };
}

type FillRow = (frame: Frame, output: Fields) => unknown;

function enrichRows(mapping: Mapping, enrichments: readonly Enrichment[], fill?: FillRow): Step {
  return async (frame) => {
    const { answer, input } = frame;
    const rows = rowsOf(answer);
    if (rows === undefined) return undefined;
    const shaped: Fields[] = [];
    for (const row of rows) {
      frame.input = rowInput(input, row);
      for (const enrichment of enrichments) await enrichment.step(frame);
      const output = mapping.start();
      frame.output = output;
      if (fill) await fill(frame, output);
      else mapping.fill(frame, output);
      shaped.push(output);
    }
    return finish(frame, input, shaped);
  };
}

/** A row laid over its message; what was selected of the answer is asked of each row too. */
function rowInput(input: Fields, row: Fields): Fields {
  const laid = { ...input, ...row };
  copySelection(input, laid);
  return laid;
}

/** The rows of an answer; an answer that is an object is one row. */
function rowsOf(answer: unknown): readonly Fields[] | undefined {
  if (Array.isArray(answer)) return answer as Fields[];
  return typeof answer === 'object' && answer !== null ? [answer as Fields] : undefined;
}

function finish(frame: Frame, input: Fields, shaped: readonly Fields[]): undefined {
  const wasList = Array.isArray(frame.answer);
  frame.input = input;
  frame.output = undefined;
  frame.answer = wasList ? shaped : shaped[0];
  return undefined;
}
