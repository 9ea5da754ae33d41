import { editorsOf } from '../editor/editors.ts';
import { isForeign } from '../run/look.ts';
import { serviceOf } from '../run/service.ts';
import { editAt, toggleAt } from './breakpoints/at-line.ts';
import type { Debugger } from './debugger.ts';
import { carryOut, runActionsOf } from './runs/actions.ts';
import { debugOf } from './session/session.ts';
import type { Thread } from './session/thread.ts';
import { stepBack, stepOver, whyNotBack, whyNotRestarted } from './stepping.ts';

/** The verbs of the debugger with the keys that people know (Visual Studio Code's). */
export function addDebugCommands(owner: Debugger): void {
  const { studio, stops, isAsking } = owner;
  const { layout } = studio;
  const debug = debugOf(studio);
  const service = serviceOf(studio);
  const { model } = debug;
  const paused = (): Thread | undefined => (model.current?.isPaused ? model.current : undefined);
  const isRunning = () => service.state.value.kind === 'running';
  const can = (capability: string) => model.state.value.capabilities.has(capability);
  const withThread = (run: (thread: Thread) => Promise<unknown>) => async () => {
    const thread = paused();
    if (thread) await run(thread);
  };
  const isPaused = () => paused() !== undefined;
  const whyNot = () => 'no thread is paused';
  const showDebug = () => layout.showSide('debug');
  studio.commands.add(
    {
      id: 'debug.continue',
      title: 'Debug: Start or Continue',
      keys: 'f5',
      run: async () => {
        const thread = paused();
        if (thread) {
          await debug.call('debug.continue', { threadId: thread.id });
          return model.focusNextPaused();
        }
        if (debug.isAttached) return studio.announce('The service runs, and nothing is paused.');
        showDebug();
        await (isRunning() ? service.attach() : service.start());
      },
    },
    {
      id: 'debug.pause',
      title: 'Debug: Pause',
      keys: 'mod+f6',
      enabled: () => paused() === undefined && (debug.isAttached ? can('pause') : isRunning()),
      run: async () => {
        if (!debug.isAttached) await service.attach();
        if (debug.isPausing.value) return debug.cancelPause();
        await debug.pause();
        studio.announce('What runs is paused at its next step; else the next request or message is.');
      },
    },
    {
      id: 'debug.stepOver',
      title: 'Debug: Step Over',
      keys: 'f10',
      enabled: isPaused,
      whyNot,
      run: withThread((thread) => stepOver(owner, thread)),
    },
    {
      id: 'debug.stepInto',
      title: 'Debug: Step Into',
      keys: 'f11',
      enabled: isPaused,
      whyNot,
      run: withThread(({ id }) => debug.call('debug.stepInto', { threadId: id })),
    },
    {
      id: 'debug.stepOut',
      title: 'Debug: Step Out',
      keys: 'shift+f11',
      enabled: isPaused,
      whyNot,
      run: withThread(({ id }) => debug.call('debug.next', { threadId: id })),
    },
    {
      id: 'debug.stepBack',
      title: 'Debug: Step Back',
      keys: 'mod+f11',
      enabled: () => whyNotBack(studio) === undefined,
      whyNot: () => whyNotBack(studio) ?? '',
      run: withThread((thread) => stepBack(owner, thread)),
    },
    {
      id: 'debug.restartStage',
      title: 'Debug: Restart from Stage',
      keys: 'mod+shift+f5',
      enabled: () => whyNotRestarted(studio) === undefined,
      whyNot: () => whyNotRestarted(studio) ?? '',
      run: withThread(({ id }) => debug.call('debug.restartStage', { threadId: id })),
    },
    {
      id: 'debug.stop',
      title: 'Debug: Stop',
      keys: 'shift+f5',
      enabled: () => debug.isAttached || isRunning(),
      whyNot: () => 'no service runs',
      run: async () => {
        if (isRunning() && !isForeign(service.state.value)) await service.stop();
        else debug.detach();
      },
    },
    {
      id: 'debug.attach',
      title: 'Debug: Attach to a Running Service',
      run: () => {
        showDebug();
        isAsking.set(true);
      },
    },
    {
      id: 'debug.detach',
      title: 'Debug: Detach and Let Threads Run',
      enabled: () => debug.model.state.value.connection !== 'none',
      run: () => debug.detach(),
    },
    {
      id: 'debug.toggleBreakpoint',
      title: 'Debug: Toggle Breakpoint',
      keys: 'f9',
      enabled: () => editorsOf(studio).active.value !== undefined,
      run: async () => {
        const active = editorsOf(studio).active.value;
        const line = active?.editor.getPosition()?.lineNumber;
        if (!active || !line) return;
        await stops.refresh();
        toggleAt(studio, stops, active.document.path, line);
      },
    },
    {
      id: 'debug.editBreakpoint',
      title: 'Debug: Edit Breakpoint',
      keys: 'shift+f9',
      enabled: () => editorsOf(studio).active.value !== undefined,
      run: async () => {
        const active = editorsOf(studio).active.value;
        const line = active?.editor.getPosition()?.lineNumber;
        if (!active || !line) return;
        await stops.refresh();
        editAt(owner, active.document.path, line);
      },
    },
    {
      id: 'debug.runToHere',
      title: 'Debug: Run to Here',
      keys: 'mod+f10',
      enabled: () => paused() !== undefined && can('runTo') && editorsOf(studio).active.value !== undefined,
      run: withThread(async ({ id, flow }) => {
        const active = editorsOf(studio).active.value;
        const line = active?.editor.getPosition()?.lineNumber;
        const stop = active && line ? stops.onLine(active.document.path, line) : undefined;
        if (stop === undefined || stop.flow !== flow) throw new Error(`The caret is not at a stage of ${flow}.`);
        await debug.call('debug.runTo', { threadId: id, stage: stop.stage, ...(stop.name && { name: stop.name }) });
      }),
    },
    ...runCommands.map(([id, title]) => ({
      id: `run.${id}`,
      title: `Run: ${title}`,
      enabled: () => model.current !== undefined,
      run: () => {
        const action = runActionsOf(studio).value.find((each) => each.id === id);
        return action && carryOut(action, model.current);
      },
    })),
    {
      id: 'debug.muteBreakpoints',
      title: 'Debug: Mute or Unmute All Breakpoints',
      run: () => debug.breakpoints.mute(!debug.breakpoints.isMuted.value),
    },
    {
      id: 'debug.removeBreakpoints',
      title: 'Debug: Remove All Breakpoints',
      enabled: () => debug.breakpoints.marks.value.size > 0,
      run: () => debug.breakpoints.clear(),
    },
  );
}

/** What can be done with the run that is shown; see `RunAction`. */
const runCommands = [
  ['again', 'Send Again'],
  ['changes', 'Send with Changes'],
  ['request', 'Save as Request'],
  ['test', 'Save as Test'],
] as const;
