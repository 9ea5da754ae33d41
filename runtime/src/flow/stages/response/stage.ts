import { Failure } from '../../../errors/failure.ts';
import type { Expression } from '../../compile/expression.ts';
import type { Frame } from '../../message/frame.ts';
import type { StepPart } from '../../message/part.ts';
import { numbered, watched } from '../../message/watched.ts';
import { whenDone } from '../../message/when-done.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { compileMapping } from '../transform/stage.ts';
import { viewOf } from './view.ts';

type Fields = Record<string, unknown>;

/** Shapes the answer from what the destination answered (docs/specification/flow.md#response). */
export function response(model: FlowModel, tools: FlowTools): StepPart[] {
  const { response: block } = model.values;
  if (!block) return [];
  const mapping = compileMapping(block.fields, 'response', tools);
  const status = block.http_status_code && tools.expression(block.http_status_code, 'response: http_status_code');
  const setStatus = (frame: Frame, status: Expression) => {
    const code = statusOf(status, frame);
    if (code !== undefined) frame.status = code;
    else
      tools.services.log.warn('http_status_code is outside 100 to 599 and is ignored', {
        flow: model.name,
        stage: 'response',
      });
    return code;
  };
  const { names } = mapping;
  const statusRule = status === undefined ? [] : [{ target: 'http_status_code', expression: status.program.source }];
  return [
    {
      stage: 'response',
      name: '',
      title: 'response',
      rules: numbered([...mapping.rules, ...statusRule]),
      step: (frame) => {
        frame.output = viewOf(frame.answer);
        const answer = mapping.fill(frame, mapping.start());
        if (status !== undefined) setStatus(frame, status);
        if (!mapping.isEmpty) frame.answer = answer;
        return undefined;
      },
      prepare: (frame) => {
        frame.output = viewOf(frame.answer);
      },
      ruled: (watch) => (frame) => {
        const finish = (answer: Fields) => {
          if (!mapping.isEmpty) frame.answer = answer;
          return undefined;
        };
        return whenDone(mapping.fillWatched(frame, mapping.start(), watch), (answer) =>
          status === undefined
            ? finish(answer)
            : whenDone(
                watched(watch, names.length, frame, () => setStatus(frame, status)),
                () => finish(answer),
              ),
        );
      },
    },
  ];
}

/** The status that an expression gives: a whole number or its digits; undefined when no answer can have it. */
function statusOf(expression: Expression, frame: Frame): number | undefined {
  const value = expression.evaluate(frame);
  const isText = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value);
  if (!isText && typeof value !== 'number' && typeof value !== 'bigint') {
    throw new Failure('expression_failed', `${expression.title} must give a number or its digits`);
  }
  const code = Number(value);
  return Number.isInteger(code) && code >= 100 && code <= 599 ? code : undefined;
}
