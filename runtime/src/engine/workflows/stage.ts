import { Fields } from '@svc/protocol/cel';
import { disclosed } from '../../foundation/errors/disclose.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Frame } from '../flow/message/frame.ts';
import type { Part } from '../flow/message/part.ts';
import type { FlowModel } from '../flow/model.ts';
import type { FlowTools } from '../flow/tools.ts';
import type { CompiledSaga } from './compile.ts';
import { advance } from './execute.ts';
import { instanceId } from './identity.ts';
import { forgetful, type SagaProgram, type SagaState, type Workflows } from './program.ts';
import { newInstance } from './transitions.ts';

type Work = (frame: Frame) => Promise<undefined>;

/** What the flow of a saga does: runs an instance to its end, or passes one that pauses to the engine. */
export function sagaParts(
  model: Pick<FlowModel, 'name' | 'answers'>,
  saga: CompiledSaga,
  workflows: Workflows,
  tools: FlowTools,
): readonly Part[] {
  const work = (program: SagaProgram): Work =>
    program.pauses ? handOver(program, workflows, tools) : runThrough(program, model, tools);
  return [
    {
      stage: undefined,
      name: '',
      title: 'saga',
      step: work(saga.program),
      places: saga.places,
      split: (announce) => work(saga.watched(announce)),
    },
  ];
}

/** Begins an instance that the engine keeps, and answers at once. */
function handOver(program: SagaProgram, { start }: Workflows, { services }: FlowTools): Work {
  return async (frame) => {
    if (start === undefined)
      throw new Failure('flow_failed', `saga "${program.name}" waits, and no service.workflow keeps it meanwhile`);
    const state = begin(program, frame, 'wf', services.clock.now());
    await start(state);
    frame.status = 202;
    frame.answer = answerOf({
      workflow_id: state.id,
      saga: program.name,
      status: 'running',
      started_at: new Date(state.startedAt).toISOString(),
    });
    return undefined;
  };
}

/** Runs an instance to its end while the message waits. */
function runThrough(program: SagaProgram, { answers }: Pick<FlowModel, 'answers'>, tools: FlowTools): Work {
  const { clock, log, production, families } = tools.services;
  const { constants } = tools.project;
  const counted = {
    completed: families.sagaExecutions.of(program.name, 'completed'),
    compensated: families.sagaExecutions.of(program.name, 'compensated'),
    failed: families.sagaExecutions.of(program.name, 'failed'),
  };
  return async (frame) => {
    const { message, thread } = frame;
    const state = begin(program, frame, 'saga', clock.now());
    const public_ = new Map<string, string>();
    const failed = (text: string, place: string, failure: Failure) => {
      if (disclosed(failure, production) === undefined) public_.set(text, `${place} failed`);
    };
    await advance(program, state, { journal: forgetful, clock, log, constants, message, thread, failed });
    const status = statusOf(state);
    counted[status].value++;
    if (state.ending === 'cancelled') throw new Failure('cancelled', `saga "${program.name}" was cancelled and undone`);
    const shown = (text: string) => public_.get(text) ?? text;
    if (status !== 'completed') {
      const why = new Failure('flow_failed', state.compensationErrors.at(0) ?? state.error ?? '');
      // A delivery whose steps are undone is settled: a retry would be another saga.
      if (status === 'failed' && !answers) throw why;
      frame.failure = why;
      frame.status = 500;
    }
    frame.answer = answerOf({
      saga_name: program.name,
      instance_id: state.id,
      status,
      steps: stepsOf(state, shown),
      error: state.error === undefined ? undefined : shown(state.error),
      compensation_errors: state.compensationErrors.length === 0 ? undefined : state.compensationErrors.map(shown),
    });
    return undefined;
  };
}

function begin(program: SagaProgram, { input, auth }: Frame, prefix: 'saga' | 'wf', now: number): SagaState {
  return newInstance(program, { id: instanceId(prefix), input, auth: auth.authenticated ? auth : undefined, now });
}

/** How an instance ended (docs/specification/workflows.md#sagas). */
function statusOf({ status, ending }: SagaState): 'completed' | 'compensated' | 'failed' {
  if (status === 'completed') return 'completed';
  return status !== 'compensation_failed' && ending !== undefined ? 'compensated' : 'failed';
}

/** Results by step; a skipped step shows no more than an answer may. */
function stepsOf({ results }: SagaState, shown: (text: string) => string): Readonly<Record<string, unknown>> {
  const steps = new Fields();
  for (const [name, result] of Object.entries(results)) {
    const error = typeof result === 'object' && result !== null && 'error' in result ? result.error : undefined;
    const said = typeof error === 'string' ? shown(error) : error;
    steps[name] = said === error ? result : Object.assign(new Fields(), { error: said });
  }
  return steps;
}

function answerOf(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const answer = new Fields();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) answer[name] = value;
  return answer;
}
