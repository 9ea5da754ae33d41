import type { FlowEntry } from '@svc/protocol/wire';
import { begunAgain, type StageRun, type Thread } from './thread.ts';

export interface TimelineRow {
  readonly id: string;
  readonly stage: string;
  readonly name: string;
  /** `cut`: it was under way when the thread was lost sight of. `left`: a person had the thread begin a stage again. */
  readonly state: 'done' | 'at' | 'running' | 'cut' | 'left' | 'failed' | 'todo';
  /** Microseconds since the flow began, pauses left out; undefined for a stage to come. */
  readonly startUs: number | undefined;
  /** Undefined while it runs and for a stage to come. */
  readonly durationUs: number | undefined;
  readonly error: string;
  /** How many of its rules are evaluated, and of how many. */
  readonly rules: { readonly done: number; readonly all: number } | undefined;
}

export interface Timeline {
  readonly rows: readonly TimelineRow[];
  /** Microseconds that the whole axis represents; what comes after them is a pause. */
  readonly scaleUs: number;
  readonly totalUs: number;
}

/** The stages that a thread went through in order, then those that its flow still has, with the time each took. */
export function timelineOf(thread: Thread, flow: FlowEntry | undefined): Timeline {
  const totalUs = thread.ended?.durationUs ?? ranUs(thread);
  const ran = thread.stages.map((run, index) => rowOf(run, index, thread, flow));
  const rows = thread.ended ? ran : [...ran, ...toCome(thread, flow)];
  const scaleUs = Math.max(totalUs * (thread.isPaused ? 1.12 : 1), 1);
  return { rows, scaleUs, totalUs };
}

/** Microseconds that a thread ran so far, pauses left out. */
export function ranUs({ stages }: Thread): number {
  return Math.max(0, ...stages.map(({ startUs, durationUs = 0 }) => startUs + durationUs));
}

function rowOf(run: StageRun, index: number, thread: Thread, flow: FlowEntry | undefined): TimelineRow {
  const { stage, name, startUs, durationUs, error } = run;
  const isLast = thread.stages.findLastIndex((each) => each.stage === stage && each.name === name) === index;
  const isAt = isLast && thread.isPaused && thread.stage === stage && thread.name === name && durationUs === undefined;
  const isCut = thread.cut !== undefined && durationUs === undefined;
  const ended = error === begunAgain ? 'left' : error ? 'failed' : 'done';
  const state = isAt ? 'at' : isCut ? 'cut' : durationUs === undefined ? 'running' : ended;
  const all = flow?.stages.find((each) => each.stage === stage && each.name === name)?.rules.length ?? 0;
  const rules = isAt && thread.rule && all > 0 ? { done: doneBefore(thread, flow), all } : undefined;
  return { id: `${index}`, stage, name, state, startUs, durationUs, error, rules };
}

function doneBefore({ stage, name, rule }: Thread, flow: FlowEntry | undefined): number {
  const rules = flow?.stages.find((each) => each.stage === stage && each.name === name)?.rules ?? [];
  return Math.max(
    0,
    rules.findIndex(({ index }) => index === rule?.index),
  );
}

function toCome(thread: Thread, flow: FlowEntry | undefined): readonly TimelineRow[] {
  const stages = flow?.stages ?? [];
  const isSame = (each: { stage: string; name: string }, other: { stage: string; name: string }) =>
    each.stage === other.stage && each.name === other.name;
  // One that was found, not seen to begin, has been where it is.
  const known =
    thread.stages.length === 0 && thread.isPaused ? stages.findIndex((each) => isSame(thread, each)) - 1 : -1;
  const started = Math.max(
    known,
    stages.findLastIndex((each) => thread.stages.some((run) => isSame(run, each))),
  );
  const isBefore = thread.isPaused && !thread.stages.some((run) => isSame(run, thread) && run.durationUs === undefined);
  return stages.slice(started + 1).map(({ stage, name }, index) => {
    const isAt = isBefore && isSame(thread, { stage, name });
    return {
      id: `next ${index}`,
      stage,
      name,
      state: isAt ? 'at' : 'todo',
      startUs: isAt ? ranUs(thread) : undefined,
      durationUs: undefined,
      error: '',
      rules: undefined,
    };
  });
}

/** Pixels that a label of the axis needs, with the gap to the next. */
const labelWidth = 48;

/** Where lines are on an axis of so many pixels, in microseconds: whole steps of 1, 2 or 5, whose labels do not touch. */
export function ticksOf(scaleUs: number, width: number): readonly number[] {
  // Nothing was measured yet.
  if (scaleUs <= 1) return [0];
  const rough = scaleUs / Math.min(5, Math.max(1, width / labelWidth));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  // Half of the last label is beyond its line.
  const last = scaleUs * (1 - Math.min(0.5, labelWidth / 4 / Math.max(width, 1)));
  for (let at = 0; at <= last; at += step) ticks.push(at);
  return ticks;
}
