import type { Frame, Shaping } from '../../message/frame.ts';
import type { Part, StepPart } from '../../message/part.ts';
import { type FlowModel, reads, shapesRows, writesAnswer } from '../../model.ts';
import { keepsAnswers } from '../../pipeline/stages.ts';
import type { FlowTools } from '../../tools.ts';
import type { Destination } from './destination.ts';
import { compileMany } from './many.ts';
import { type Fields, inputPayload, messageFields } from './payload.ts';
import { read, shape } from './read.ts';
import { compileWrite, type Write } from './write.ts';

/** What the destination stage needs of the expressions after it. */
export interface AnswerReaders {
  /** Whether `response` or `after` reads what the destination answers. */
  readonly answer: boolean;
  /** The answer must have every field, whatever its caller selects. */
  readonly whole: boolean;
  readonly enrichment: (name: string) => boolean;
}

/** Reads, writes, or decides what a flow without a destination answers. */
export function destination(model: FlowModel, tools: FlowTools, readers: AnswerReaders): Part[] {
  const { destinations } = model;
  if (destinations.length === 0) return [answerAlone(model)];
  if (reads(model)) {
    const [only] = destinations as readonly [Destination];
    const exact = readers.answer || (shapesRows(model) && hasTransform(model));
    const narrows =
      !exact &&
      !readers.whole &&
      model.outputTypes.length === 0 &&
      !keepsAnswers(model.values) &&
      only.named === undefined;
    const parts = [read(model, only, tools, exact, narrows)];
    return shapesRows(model) ? [...parts, ...shape(model, tools, readers.enrichment)] : parts;
  }
  const writes = destinations.map((each) => compileWrite(model, each, tools, readers.answer));
  return [...payloadPart(model, writes), writes.length === 1 ? one(writes[0] as Write) : many(writes)];
}

function hasTransform({ values }: FlowModel): boolean {
  return values.transform !== undefined && values.transform.fields.length > 0;
}

/** A payload that consists of fields of the message. */
const ofMessage: Shaping = { repeats: (_, scope) => (scope as Frame).isSame(['input']) };

/** Without a transform, the message is the payload. */
function payloadPart(model: FlowModel, writes: readonly Write[]): StepPart[] {
  if (!writes.some(({ needsPayload }) => needsPayload)) return [];
  const isOfMessage = !writesAnswer(model);
  const payload = isOfMessage ? inputPayload(model) : answerPayload(model);
  return [
    {
      stage: undefined,
      name: '',
      title: 'payload',
      step: (frame) => {
        frame.output = payload(frame);
        if (isOfMessage) {
          frame.shaped = frame.output;
          frame.shaping = ofMessage;
        }
        return undefined;
      },
    },
  ];
}

/**
 * What a flow that was asked for something would have answered, for a destination of which nothing can be read: the answer of
 * its steps, an object or in `data`, or else the message.
 */
function answerPayload({ values }: FlowModel): (frame: Frame) => Fields {
  if (values.step.length === 0) return messageFields;
  return ({ answer }) => {
    const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
    return isObject ? (answer as Fields) : { data: answer };
  };
}

function keep(frame: Frame, answer: unknown): undefined {
  frame.answer = answer;
  return undefined;
}

function one({ destination, place, run, runWatched }: Write): StepPart {
  return {
    stage: 'write',
    name: destination.label,
    rules: place.rules,
    title: `to "${destination.label}"`,
    step: (frame) => {
      const answer = run(frame);
      return answer instanceof Promise ? answer.then((settled) => keep(frame, settled)) : keep(frame, answer);
    },
    ruled: (watch) => async (frame) => keep(frame, await runWatched(frame, watch)),
  };
}

function many(writes: readonly Write[]): StepPart {
  const plain = compileMany(writes, (write, frame) => write.run(frame));
  return {
    stage: undefined,
    name: '',
    title: 'to',
    step: async (frame) => keep(frame, await plain(frame)),
    places: writes.map(({ place }) => place),
    split: (announce) => {
      const watched = compileMany(writes, (write, frame) =>
        announce(write.place, frame, (watch) => write.runWatched(frame, watch)),
      );
      return async (frame) => keep(frame, await watched(frame));
    },
  };
}

/**
 * The answer of a flow without a destination (docs/specification/flow.md#flows-without-a-destination). Steps have
 * already set their answer.
 */
function answerAlone({ values }: FlowModel): StepPart {
  const part = { stage: undefined, name: '', title: 'answer' };
  if (values.transform !== undefined && values.transform.fields.length > 0)
    return { ...part, step: (frame) => keep(frame, frame.output) };
  const hasEnrichment = values.enrich.length > 0 || (values.transform?.enrich.length ?? 0) > 0;
  if (values.step.length > 0 && !hasEnrichment) return { ...part, step: undefined };
  // A response without fields only sets the status: the answer must not contain the headers of the caller.
  if (values.response !== undefined && values.response.fields.length > 0 && values.step.length === 0)
    return { ...part, step: (frame) => keep(frame, frame.input) };
  if (values.step.length > 0) return { ...part, step: undefined };
  return { ...part, step: (frame) => keep(frame, messageFields(frame)) };
}
