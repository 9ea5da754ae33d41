import { aspectParts } from './aspects/parts.ts';
import type { FlowModel } from './model.ts';
import type { Part } from './part.ts';
import { answerReaders, stepReaders } from './readers.ts';
import { selectionOf } from './selection.ts';
import { accept } from './stages/accept/stage.ts';
import { after } from './stages/after/stage.ts';
import { async_ } from './stages/async/stage.ts';
import { batch } from './stages/batch/stage.ts';
import { cache } from './stages/cache/stage.ts';
import { coordinate, coordinated } from './stages/coordinate/stage.ts';
import { dedupe } from './stages/dedupe/stage.ts';
import { publish } from './stages/destination/publish.ts';
import { destination } from './stages/destination/stage.ts';
import { enrich } from './stages/enrich/stage.ts';
import { errorResponse } from './stages/error-handling/error-response.ts';
import { retryLoop } from './stages/error-handling/retry.ts';
import { filter } from './stages/filter/stage.ts';
import { idempotency } from './stages/idempotency/stage.ts';
import { lock } from './stages/lock/stage.ts';
import { params } from './stages/params/stage.ts';
import { require_ } from './stages/require/stage.ts';
import { response } from './stages/response/stage.ts';
import { sanitize } from './stages/sanitize/stage.ts';
import { semaphore } from './stages/semaphore/stage.ts';
import { sequenceGuard } from './stages/sequence-guard/stage.ts';
import { stateTransition } from './stages/state-transition/stage.ts';
import { steps } from './stages/steps/stage.ts';
import { transform } from './stages/transform/stage.ts';
import { validateInput, validateOutput } from './stages/validate/stage.ts';
import type { FlowTools } from './tools.ts';

/**
 * The whole life of a message, in order (decisions 42). What a flow does not write has no part. A stage that takes the
 * rest of the flow (`error_response`, `async`, aspects, the retry loop, a lock, the cache) surrounds everything below it.
 */
export function partsOf(model: FlowModel, tools: FlowTools): readonly Part[] {
  const aspects = aspectParts(model, tools);
  const guard = sequenceGuard(model, tools);
  const isAnswerRead = aspects.readsAnswer || answerReaders(model, tools);
  return [
    received,
    ...params(model),
    ...sanitize(model),
    ...errorResponse(model, tools),
    ...aspects.gates,
    ...require_(model),
    ...filter(model, tools),
    ...accept(model, tools),
    ...validateInput(model),
    ...async_(model, tools),
    ...idempotency(model, tools),
    ...aspects.work,
    ...retryLoop(model, tools),
    ...lock(model, tools, guard.alongside),
    ...semaphore(model, tools),
    ...coordinate(model, tools),
    ...guard.parts,
    ...cache(model, tools),
    ...(model.work?.(tools) ??
      batch(model, tools, isAnswerRead) ??
      stateTransition(model, tools) ??
      work(model, tools, isAnswerRead)),
    ...coordinated(model),
    ...response(model, tools),
    ...validateOutput(model),
    ...after(model, tools),
    ...aspects.end,
  ];
}

/** What a flow does between its gates and its answer. */
function work(model: FlowModel, tools: FlowTools, isAnswerRead: boolean): readonly Part[] {
  const step = stepReaders(model, tools);
  const selection = selectionOf(model, tools);
  const gathering = [...steps(model, tools, step.step), ...enrich(model, tools, step.enrichment)];
  return [
    ...(selection === undefined ? gathering : gathering.map(selection.part)),
    ...transform(model, tools, selection),
    ...dedupe(model, tools, destination(model, tools, { answer: isAnswerRead, enrichment: step.enrichment })),
    ...publish(model, tools),
  ];
}

/** Announces the message as it came. */
const received: Part = { stage: 'input', name: '', title: 'input', step: undefined };
