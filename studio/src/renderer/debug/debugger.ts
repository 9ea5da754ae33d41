import { createContext, use } from 'react';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import type { Mark } from './breakpoints/breakpoints.ts';
import type { StopAt, Stops } from './breakpoints/stops.ts';
import { stopsOf } from './breakpoints/stops.ts';
import { DebugConsole } from './console/console.ts';
import type { FlowMap } from './session/flow-map.ts';
import { flowsOf } from './session/flow-map.ts';
import { Inspection } from './session/inspection.ts';
import type { Thread } from './session/model.ts';
import { reveal } from './session/reveal.ts';
import { debugOf } from './session/session.ts';
import { Watches } from './session/watches.ts';
import { ValueTree } from './values/value-tree.ts';

/** What the views of the debugger share. */
export class Debugger {
  readonly studio: Studio;
  readonly stops: Stops;
  readonly flows: FlowMap;
  readonly inspection: Inspection;
  readonly watches: Watches;
  readonly console: DebugConsole;
  readonly tree = new ValueTree();
  /** Whether the dialog that asks for an address is open. */
  readonly isAsking = new Store(false);
  /** The breakpoint whose form is open. */
  readonly edited = new Store<Mark | undefined>(undefined);

  constructor(studio: Studio) {
    this.studio = studio;
    this.stops = stopsOf(studio);
    this.flows = flowsOf(studio);
    this.inspection = new Inspection(debugOf(studio));
    this.watches = new Watches(debugOf(studio), this.inspection);
    this.console = new DebugConsole(debugOf(studio));
    this.#keepWatches();
  }

  /** Where a thread is in the text, which may be newer than what runs: rules are found by their target. */
  stopOf({ flow, stage, name, rule }: Thread): StopAt | undefined {
    const written = rule && this.flows.rule(flow, stage, name, rule);
    return this.stops.find({ flow, stage, name, ruleIndex: (written ?? rule)?.index ?? -1 });
  }

  /** Shows the line where a thread is. */
  revealThread(thread: Thread): void {
    const stop = this.stopOf(thread);
    if (stop !== undefined) reveal(this.studio, stop.file, stop.start);
  }

  /** Watched expressions belong to the folder and come back with it; what was printed is gone with it. */
  #keepWatches(): void {
    const { project, settings, notices } = this.studio;
    let directory: string | undefined;
    project.onFolder((opened) => {
      directory = opened;
      this.console.clear();
      const kept = directory === undefined ? [] : settings.recall(directory, 'watches');
      this.watches.restore(Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []);
    });
    this.watches.changed = (expressions) => {
      if (directory !== undefined)
        settings.remember(directory, 'watches', expressions).catch((error) => notices.failed(error));
    };
  }
}

export const DebuggerContext = createContext<Debugger | undefined>(undefined);

export function useDebugger(): Debugger {
  const found = use(DebuggerContext);
  if (found === undefined) throw new Error('there is no debugger around this view');
  return found;
}
