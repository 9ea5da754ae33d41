import { type AspectParts, aspectParts } from '../aspects/parts.ts';
import { answerReaders, stepReaders } from '../compile/readers.ts';
import { type Selection, selectionOf } from '../compile/selection.ts';
import type { Part, StepPart } from '../message/part.ts';
import type { FlowModel } from '../model.ts';
import { accept } from '../stages/accept/stage.ts';
import { after } from '../stages/after/stage.ts';
import { async_ } from '../stages/async/stage.ts';
import { batch } from '../stages/batch/stage.ts';
import { cache } from '../stages/cache/stage.ts';
import { coordinate, coordinated } from '../stages/coordinate/stage.ts';
import { dedupe } from '../stages/dedupe/stage.ts';
import { publish } from '../stages/destination/publish.ts';
import { destination } from '../stages/destination/stage.ts';
import { enrich } from '../stages/enrich/stage.ts';
import { errorResponse } from '../stages/error-handling/error-response.ts';
import { retryLoop } from '../stages/error-handling/retry.ts';
import { filter } from '../stages/filter/stage.ts';
import { idempotency } from '../stages/idempotency/stage.ts';
import { lock } from '../stages/lock/stage.ts';
import { params } from '../stages/params/stage.ts';
import { require_ } from '../stages/require/stage.ts';
import { response } from '../stages/response/stage.ts';
import { sanitize } from '../stages/sanitize/stage.ts';
import { semaphore } from '../stages/semaphore/stage.ts';
import { type SequenceGuard, sequenceGuard } from '../stages/sequence-guard/stage.ts';
import { stateTransition } from '../stages/state-transition/stage.ts';
import { steps } from '../stages/steps/stage.ts';
import { transform } from '../stages/transform/stage.ts';
import { validateInput, validateOutput } from '../stages/validate/stage.ts';
import type { FlowTools } from '../tools.ts';
import { forwardedSteps } from './forwarded-files.ts';
import { order } from './order.ts';
import { hasWholeWork, type StageKey } from './stages.ts';
import { waiting } from './waiting.ts';

/** What stages of a flow are compiled from, and what they need of each other. */
interface Compiling {
  readonly model: FlowModel;
  readonly tools: FlowTools;
  readonly aspects: AspectParts;
  readonly guard: SequenceGuard;
  /** Whether an expression reads what the destination answers. */
  readonly isAnswerRead: boolean;
  /** Whether the answer must have every field, whatever its caller selects. */
  readonly isWhole: boolean;
  readonly work: () => Work;
}

/** What fetching and building stages need of each other. */
interface Work {
  readonly readers: ReturnType<typeof stepReaders>;
  readonly selection: Selection | undefined;
  /** Steps whose file is forwarded as it comes. */
  readonly forwarded: ReadonlySet<string>;
}

/** Announces the original message. */
const received: Part = { stage: 'input', name: '', title: 'input', step: undefined };

/** How each stage is compiled; the order is in `order.ts`. A stage that a flow does not use has no part. */
const compilers: Readonly<Record<StageKey, (compiling: Compiling) => readonly Part[]>> = {
  input: () => [received],
  params: ({ model }) => params(model),
  sanitize: ({ model }) => sanitize(model),
  error_response: ({ model, tools }) => errorResponse(model, tools),
  aspect_gates: ({ aspects }) => aspects.gates,
  require: ({ model, tools }) => require_(model, tools),
  filter: ({ model, tools }) => filter(model, tools),
  accept: ({ model, tools }) => accept(model, tools),
  validate_input: ({ model }) => validateInput(model),
  async: ({ model, tools }) => async_(model, tools),
  idempotency: ({ model, tools }) => idempotency(model, tools),
  aspect_work: ({ aspects }) => aspects.work,
  retry: ({ model, tools }) => retryLoop(model, tools),
  lock: ({ model, tools, guard }) => lock(model, tools, guard.alongside),
  semaphore: ({ model, tools }) => semaphore(model, tools),
  coordinate: ({ model, tools }) => coordinate(model, tools),
  sequence_guard: ({ guard }) => guard.parts,
  cache: ({ model, tools }) => cache(model, tools),
  step: ({ model, tools, work }) => {
    const { readers, forwarded } = work();
    return selected(
      steps(model, tools, (name) => ({ exact: readers.step(name), once: forwarded.has(name) })),
      work(),
    );
  },
  enrich: ({ model, tools, work }) => selected(enrich(model, tools, work().readers.enrichment), work()),
  transform: ({ model, tools, work }) => transform(model, tools, work().selection),
  batch: ({ model, tools, isAnswerRead }) => batch(model, tools, isAnswerRead) ?? [],
  state_transition: ({ model, tools }) => stateTransition(model, tools) ?? [],
  saga: ({ model, tools }) => model.work?.(tools) ?? [],
  // The destinations are between the two phases of `dedupe`.
  dedupe: ({ model, tools, isAnswerRead, isWhole, work }) =>
    dedupe(
      model,
      tools,
      destination(model, tools, { answer: isAnswerRead, whole: isWhole, enrichment: work().readers.enrichment }),
    ),
  to: ({ model, tools }) => publish(model, tools),
  coordinated: ({ model }) => coordinated(model),
  response: ({ model, tools }) => response(model, tools),
  validate_output: ({ model }) => validateOutput(model),
  after: ({ model, tools }) => after(model, tools),
  aspect_end: ({ aspects }) => aspects.end,
};

/** The parts of a flow, in the order in which they run. */
export function partsOf(model: FlowModel, given: FlowTools): readonly Part[] {
  /** Whether an expression that was compiled since it was set to false waits. */
  let waits = false;
  const tools: FlowTools = {
    ...given,
    expression: (source, title, extra) => {
      const expression = given.expression(source, title, extra);
      waits ||= expression.waits;
      return expression;
    },
  };
  const aspects = aspectParts(model, tools);
  // What others read of the answer, or are answered with later, has every field.
  const isWhole = aspects.readsAnswer || aspects.keepsAnswers;
  let work: Work | undefined;
  const compiling: Compiling = {
    model,
    tools,
    aspects,
    guard: sequenceGuard(model, tools),
    isWhole,
    isAnswerRead: aspects.readsAnswer || answerReaders(model, tools),
    work: () =>
      (work ??= {
        readers: stepReaders(model, tools),
        selection: isWhole ? undefined : selectionOf(model, tools),
        forwarded: forwardedSteps(model, tools, aspects),
      }),
  };
  const isReplaced = model.work !== undefined || hasWholeWork(model.values);
  return order.flatMap(({ key, work }) => {
    if (key === undefined || (isReplaced && work === 'piece')) return [];
    waits = false;
    const parts = compilers[key](compiling);
    return waits ? parts.map(waiting) : parts;
  });
}

/** Leaves out what no requested field needs. */
function selected(parts: readonly StepPart[], { selection }: Work): readonly Part[] {
  return selection === undefined ? parts : parts.map(selection.part);
}
