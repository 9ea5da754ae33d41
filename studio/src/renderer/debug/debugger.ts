import { createContext, use } from 'react';
import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import type { Mark } from './breakpoints/breakpoints.ts';
import { type StopAt, type Stops, stopsOf } from './breakpoints/stops.ts';
import { DebugConsole } from './console/console.ts';
import { KeptRuns } from './runs/kept-runs.ts';
import { type FlowMap, flowsOf } from './session/flow-map.ts';
import { Inspection } from './session/inspection.ts';
import { reveal } from './session/reveal.ts';
import { debugOf } from './session/session.ts';
import type { Thread } from './session/thread.ts';
import { Watches } from './session/watches.ts';
import { Samples } from './text/samples.ts';
import { ValueTree } from './values/value-tree.ts';

/** A line of the text at which a run failed. */
export interface FailurePlace {
  readonly file: string;
  readonly start: number;
  /** From 1. */
  readonly line: number;
  /** What failed or dropped the message: `total failed`. */
  readonly title: string;
  readonly message: string;
}

/** What the views of the debugger share. */
export class Debugger {
  readonly studio: Studio;
  readonly stops: Stops;
  readonly flows: FlowMap;
  readonly inspection: Inspection;
  readonly watches: Watches;
  readonly console: DebugConsole;
  readonly runs: KeptRuns;
  readonly samples: Samples;
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
    this.watches = new Watches(debugOf(studio), this.inspection, studio.language);
    this.console = new DebugConsole(debugOf(studio), this.inspection, studio.language);
    this.runs = new KeptRuns(studio.language, debugOf(studio).model);
    this.samples = new Samples(studio, this.flows);
    this.#keepWatches();
  }

  /** Where a thread is in the text, which may be newer than what runs: rules are found by their target. */
  stopOf({ flow, stage, name, rule }: Thread): StopAt | undefined {
    const written = rule && this.flows.rule(flow, stage, name, rule);
    return this.stops.find({ flow, stage, name, ruleIndex: (written ?? rule)?.index ?? -1 });
  }

  /** The line that represents a thread: where it is, or the head of its flow while it is at what is not written. */
  lineOf(thread: Thread): (Pick<StopAt, 'file' | 'start' | 'line'> & { readonly isWritten: boolean }) | undefined {
    const stop = this.stopOf(thread);
    if (stop !== undefined) return { ...stop, isWritten: true };
    const head = this.#headOf(thread.flow);
    return head && { ...head, isWritten: false };
  }

  #headOf(flow: string): Pick<StopAt, 'file' | 'start' | 'line'> | undefined {
    const head = this.flows.flow(flow);
    const line = head && this.stops.lineOf(head.file, head.selection.start);
    return head && line !== undefined ? { file: head.file, start: head.selection.start, line } : undefined;
  }

  /**
   * Where a thread failed in the text: at the rule, else at the block, else, of what is not written, at the head of the
   * flow. Undefined when it did not fail, or the flow is not written any more.
   */
  failureOf(thread: Thread): FailurePlace | undefined {
    const { flow, failedAt, ended, isPaused, reason } = thread;
    if (isPaused && (reason === 'failure' || reason === 'drop')) return this.#stoppedFor(thread);
    if (failedAt === undefined || !ended?.error) return undefined;
    const { stage, name, rule } = failedAt;
    const at = (ruleIndex: number) => this.stops.find({ flow, stage, name, ruleIndex });
    const written = rule && this.flows.rule(flow, stage, name, rule);
    const stop = (rule && at((written ?? rule).index)) ?? at(-1);
    const { message } = failedAt;
    if (stop !== undefined) return { ...stop, message, title: `${rule?.target ?? `${stage} ${name}`.trim()} failed` };
    const head = this.#headOf(flow);
    return head && { ...head, message, title: `${stage} failed` };
  }

  /** A failure, or a drop, that a thread is stopped for. */
  #stoppedFor(thread: Thread): FailurePlace | undefined {
    const { rule, stage, name, message, reason } = thread;
    const stop = this.stopOf(thread) ?? this.stops.find({ ...thread, ruleIndex: -1 });
    if (stop === undefined) return undefined;
    const title = rule?.target ?? `${stage} ${name}`.trim();
    return { ...stop, title: reason === 'drop' ? `dropped by ${title}` : `${title} failed`, message };
  }

  /** Shows the line where a thread is. */
  revealThread(thread: Thread): void {
    const at = this.lineOf(thread);
    if (at !== undefined) reveal(this.studio, at.file, at.start);
  }

  /** Looks at a run: its values and its timeline, and the line where it is or where it failed. */
  showRun(thread: Thread): void {
    const { model } = debugOf(this.studio);
    // One that is not kept any more shows its line alone.
    if (model.thread(thread.id) !== undefined) model.focused.set(thread.id);
    if (thread.isPaused) return this.revealThread(thread);
    const place = this.failureOf(thread);
    if (place !== undefined) reveal(this.studio, place.file, place.start);
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
