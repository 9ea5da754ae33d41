import { type Expression, unusable } from '../../compile/expression.ts';
import { headerText } from '../../compile/headers.ts';
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
  const beside = [...statusesOf(block, model, tools), ...headersOf(block, tools)];
  const { names } = mapping;
  const besideRules = beside.map(({ target, source: expression }) => ({ target, expression }));
  return [
    {
      stage: 'response',
      name: '',
      title: 'response',
      rules: numbered([...mapping.rules, ...besideRules]),
      step: (frame) => {
        frame.output = viewOf(frame.answer);
        const answer = mapping.fill(frame, mapping.start());
        for (const { set } of beside) set(frame);
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
        const setFrom = (at: number, answer: Fields): undefined | Promise<undefined> => {
          const next = beside[at];
          if (next === undefined) return finish(answer);
          return whenDone(
            watched(watch, names.length + at, frame, () => next.set(frame)),
            () => setFrom(at + 1, answer),
          );
        };
        return whenDone(mapping.fillWatched(frame, mapping.start(), watch), (answer) => setFrom(0, answer));
      },
    },
  ];
}

/** A status or a header that the block sets. */
interface SetBeside {
  readonly target: string;
  /** As written. */
  readonly source: string;
  readonly set: (frame: Frame) => unknown;
}

const bounds = { http_status_code: [100, 599], grpc_status_code: [0, 16] } as const;

/** Those that are written. One that no answer can have is ignored, with a warning. */
function statusesOf(
  block: NonNullable<FlowModel['values']['response']>,
  model: FlowModel,
  tools: FlowTools,
): readonly SetBeside[] {
  return (['http_status_code', 'grpc_status_code'] as const).flatMap((target) => {
    const written = block[target];
    if (written === undefined) return [];
    const expression = tools.expression(written, `response: ${target}`);
    const [least, most] = bounds[target];
    const set = (frame: Frame) => {
      return whenDone(expression.value(frame), (value) => keep(frame, statusOf(expression, value, frame, least, most)));
    };
    const keep = (frame: Frame, code: number | undefined) => {
      if (code === undefined)
        tools.services.log.warn(`${target} is outside ${least} to ${most} and is ignored`, {
          flow: model.name,
          stage: 'response',
        });
      else if (target === 'http_status_code') frame.status = code;
      else frame.grpcStatus = code;
      return code;
    };
    return { target, source: expression.program.source, set };
  });
}

/** A header that gives null is not sent. */
function headersOf({ headers }: NonNullable<FlowModel['values']['response']>, tools: FlowTools): readonly SetBeside[] {
  return (headers?.fields ?? []).map(({ name, value }) => {
    const target = `headers.${name}`;
    const expression = tools.expression(value, `response: ${target}`);
    const set = (frame: Frame) => {
      return whenDone(expression.value(frame), (given) => {
        if (given !== null) frame.headers = { ...frame.headers, [name]: headerText(given, expression, frame) };
        return given;
      });
    };
    return { target, source: expression.program.source, set };
  });
}

/** The status that an expression gives: a whole number or its digits; undefined when no answer can have it. */
function statusOf(
  expression: Expression,
  value: unknown,
  frame: Frame,
  least: number,
  most: number,
): number | undefined {
  const isText = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value);
  if (!isText && typeof value !== 'number' && typeof value !== 'bigint') {
    throw unusable(`${expression.title} must give a number or its digits`, expression, frame);
  }
  const code = Number(value);
  return Number.isInteger(code) && code >= least && code <= most ? code : undefined;
}
