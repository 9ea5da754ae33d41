import type { ContentOwner } from '../../../../foundation/contracts/content.ts';
import type { Message } from '../../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import type { WatchedStage } from '../../../../foundation/contracts/probe.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { callerOf } from '../../../../platform/identity/caller.ts';
import type { Frame } from '../../message/frame.ts';
import type { Announce, Part, Run } from '../../message/part.ts';
import { whenDone } from '../../message/when-done.ts';
import type { FlowModel } from '../../model.ts';
import { type FlowTools, storageOf } from '../../tools.ts';
import { type Job, Jobs } from './jobs.ts';
import { completed, failed } from './record.ts';

/**
 * Answers as soon as a message has passed the gates, and does the rest in the background: a job, whose record has the
 * result. It runs whether its caller waits, disconnects or asks.
 */
export function async_(model: FlowModel, tools: FlowTools): Part[] {
  const { async: block } = model.values;
  if (!block) return [];
  const { name: flow } = model;
  const { background, production } = tools.services;
  const jobs = new Jobs(flow, storageOf(block.storage, tools), block.ttl, tools.services);
  const place = { flow, stage: 'async' };

  const begin = ({ auth }: Frame): Job | Promise<Job> => {
    try {
      const job = jobs.begin(callerOf(auth));
      if (!(job instanceof Promise)) return job;
      return job.catch((error: unknown) => {
        throw asFailure(error, place);
      });
    } catch (error) {
      throw asFailure(error, place);
    }
  };

  const handOver = (next: Run, frame: Frame, job: Job): Outcome => {
    const release = frame.message.contents?.().hold();
    frame.message = withoutCaller(frame.message);
    const rest = inTurnOfItsOwn(() => next(frame));
    frame.rest = rest;
    background('async', async () => {
      const ended = await rest.then(
        (outcome) => completed(job.record, outcome),
        (error: unknown) => failed(job.record, asFailure(error, { flow }), production),
      );
      await jobs.end(job, ended).finally(release);
    });
    return { kind: 'reply', value: { job_id: job.record.job_id, status: 'pending' }, status: 202 };
  };

  const stage: WatchedStage = { stage: 'async', name: '', rules: [] };
  return [
    {
      title: 'async',
      around: (next) => (frame) => whenDone(begin(frame), (job) => handOver(next, frame, job)),
      places: [stage],
      split: (announce: Announce) => (next: Run) => async (frame: Frame) =>
        handOver(next, frame, (await announce(stage, frame, () => begin(frame))) as Job),
    },
  ];
}

/** Begins after the answer to the caller has been sent. */
async function inTurnOfItsOwn(work: () => Outcome | Promise<Outcome>): Promise<Outcome> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return work();
}

/** The same message, for which no caller waits any more. */
function withoutCaller(message: Message): Message {
  const { input, auth, addressed, queried, sourced, callers, requested, traceparent, tracestate } = message;
  const signal = () => undefined;
  const contents = message.contents && (() => (message.contents as () => ContentOwner)());
  return { input, auth, addressed, queried, sourced, callers, requested, traceparent, tracestate, contents, signal };
}
