import { type Handlers, wireError } from '@svc/protocol/wire';
import { isNamed } from '../threads/breakpoints.ts';
import { holdsOf } from '../threads/holds.ts';
import { type Mode, run } from '../threads/stepping.ts';
import type { Thread } from '../threads/thread.ts';
import { type Caller, pausedThread, serviceOf, sessionOf, threadOf } from './caller.ts';

type Names =
  | 'debug.continue'
  | 'debug.next'
  | 'debug.stepInto'
  | 'debug.runTo'
  | 'debug.restartStage'
  | 'debug.pause'
  | 'debug.threads';

export const steppingHandlers: Pick<Handlers<Caller>, Names> = {
  'debug.continue': (caller, { threadId }) => resume(caller, threadId, run),
  'debug.next': (caller, { threadId }) => resume(caller, threadId, { kind: 'next' }),
  'debug.stepInto': (caller, { threadId }) => resume(caller, threadId, { kind: 'stepInto' }),
  'debug.runTo': (caller, { threadId, stage, name }) => {
    const { thread } = pausedThread(caller, threadId);
    const stages = serviceOf(caller).stages.get(thread.flow) ?? [];
    if (!stages.some((each) => each.stage === stage && isNamed(each, name)))
      throw wireError(
        'invalidParams',
        `flow "${thread.flow}" has no stage "${stage}"${name === undefined ? '' : ` "${name}"`}`,
      );
    return resume(caller, threadId, { kind: 'runTo', stage, name });
  },
  'debug.restartStage': (caller, { threadId, stage, name }) => {
    const { thread, stop } = pausedThread(caller, threadId);
    if (stage === undefined && name !== undefined) throw wireError('invalidParams', '"name" needs a "stage"');
    const visit = thread.visits.wayBack(
      stop.place,
      stage ?? stop.place.stage,
      stage === undefined ? stop.place.name : name,
    );
    if (typeof visit === 'string') throw wireError('invalidParams', visit);
    caller.hub.restart(thread, visit, sessionOf(caller));
    return { ok: true, stage: visit.place.stage, name: visit.place.name };
  },
  'debug.pause': (caller, { threadId }) => {
    const thread = threadOf(caller, threadId);
    if (!caller.hub.pause(thread, sessionOf(caller)))
      throw wireError('invalidParams', `thread "${threadId}" is paused already`);
    return { ok: true };
  },
  'debug.threads': async ({ hub, service }) => {
    const threads = [...hub.threads.values()];
    const holds = await holdsOf(threads, service()?.events);
    return { threads: threads.map((thread) => ({ ...threadEntry(thread), holds: holds.get(thread) ?? null })) };
  },
};

function resume(caller: Caller, threadId: string, mode: Mode) {
  const { thread } = pausedThread(caller, threadId);
  caller.hub.resume(thread, mode, mode.kind === 'run' ? undefined : sessionOf(caller));
  return { ok: true } as const;
}

function threadEntry({ id, flow, place, stop }: Thread) {
  return {
    id,
    flowName: flow,
    stage: place?.stage ?? '',
    name: place?.name ?? '',
    paused: stop !== undefined,
    reason: stop?.reason ?? '',
  };
}
