import type { Studio } from '../shell/studio.ts';
import type { Debugger } from './debugger.ts';
import { debugOf } from './session/session.ts';
import type { Thread } from './session/thread.ts';

/** Over a rule is the next rule of the same stage, over a stage the next stage: what is written below in the text. */
export async function stepOver(owner: Debugger, thread: Thread): Promise<void> {
  const debug = debugOf(owner.studio);
  const { id: threadId, rule } = thread;
  if (rule === undefined) return void (await debug.call('debug.next', { threadId }));
  const isLast = (await rulesOf(owner, thread)).at(-1) === rule.index;
  await debug.call(isLast ? 'debug.next' : 'debug.stepInto', { threadId });
}

/**
 * Back from a rule is the rule before it, from the first one its stage: the stage begins again, and its rules up to
 * that one are evaluated again. They read the message and change nothing at another end.
 */
export async function stepBack(owner: Debugger, thread: Thread): Promise<void> {
  const debug = debugOf(owner.studio);
  const { id: threadId, rule, stage, name } = thread;
  const rules = await rulesOf(owner, thread);
  const target = rule && rules[rules.indexOf(rule.index) - 1];
  let at = await nextStop(owner.studio, thread, () => debug.call('debug.restartStage', { threadId }));
  const isThere = (each: Thread) => each.stage === stage && each.name === name;
  // A thread that left the stage, as one does that is released by another session, is followed no further.
  while (target !== undefined && at !== undefined && isThere(at) && at.rule?.index !== target)
    at = await nextStop(owner.studio, at, () => debug.call('debug.stepInto', { threadId }));
}

/** Why the thread in focus cannot go back; undefined when it can. */
export function whyNotBack(studio: Studio): string | undefined {
  const { current } = debugOf(studio).model;
  if (current?.isPaused && current.rule === undefined)
    return 'it goes back between rules alone, since what earlier stages did elsewhere is not undone';
  return whyNotRestarted(studio);
}

/** Why no stage of the thread in focus can begin again; undefined when one can. */
export function whyNotRestarted(studio: Studio): string | undefined {
  const { model } = debugOf(studio);
  const { current } = model;
  if (!current?.isPaused) return 'no thread is paused';
  if (!model.state.value.capabilities.has('restartStage')) return 'this version of the service cannot do it';
  return undefined;
}

/** Indices of the rules of the stage at which a thread is paused, in order. */
async function rulesOf({ studio, inspection }: Debugger, thread: Thread): Promise<readonly number[]> {
  const { id, flow: name, stage, stop } = thread;
  // What was shown of this stop knows the flow already; a person who is faster asks for it.
  const known = inspection.state.value;
  const isKnown = known?.threadId === id && known.stop === stop;
  const flow = (isKnown ? known.flow : undefined) ?? (await debugOf(studio).call('inspect.flow', { name }));
  const own = flow.stages.find((each) => each.stage === stage && each.name === thread.name);
  return own?.rules.map(({ index }) => index) ?? [];
}

/** Moves a thread on and waits for where it is paused then; undefined when it ended or was lost sight of. */
async function nextStop(
  studio: Studio,
  { id, stop }: Thread,
  move: () => Promise<unknown>,
): Promise<Thread | undefined> {
  const { model } = debugOf(studio);
  await move();
  return new Promise((resolve) => {
    const look = () => {
      const thread = model.thread(id);
      const isGone = thread === undefined || thread.ended !== undefined || thread.cut !== undefined;
      if (!isGone && !(thread.isPaused && thread.stop !== stop)) return;
      undo();
      resolve(isGone ? undefined : thread);
    };
    const undo = model.state.subscribe(look);
    look();
  });
}
