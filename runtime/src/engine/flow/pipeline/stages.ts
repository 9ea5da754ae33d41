import type { StagePlace } from '@svc/protocol/language';
import type { AskingPlace, StageDescriptor, StageFacts } from './descriptor.ts';
import { order } from './order.ts';

type Described = (typeof order)[number];

/** The stages that have work of their own, as `parts.ts` compiles them. */
export type StageKey = Described['key'] & string;

/** The stages that traces, breakpoints and debug events name. */
export type StageName = { [D in Described as StageWord<D>]: keyof D['stages'] }[StageWord<Described>] & string;

type StageWord<D extends Described> = D extends { readonly key: infer K extends string } ? K : never;

/** Every stage of a flow, in the order in which they run. */
export const pipeline: readonly StageDescriptor[] = order;

/** Stages with a block of their own, each block once. */
export const blockStages = pipeline.filter(
  ({ word }, at) => word !== undefined && pipeline.findIndex((each) => each.word === word) === at,
) as readonly (StageDescriptor & { readonly word: string })[];

/** Where stages of flows are written, in the order in which they run; what surrounds the work is last. */
export const lanes: readonly StagePlace[] = pipeline
  .flatMap(({ places = [] }) => places)
  .toSorted((a, b) => Number(a.last ?? false) - Number(b.last ?? false));

const facts = new Map(pipeline.flatMap(({ stages = {} }) => Object.entries(stages)));
const none: StageFacts = {};

/** What an announced stage does; undefined for one without a descriptor. */
export function factsOf(stage: string): StageFacts {
  return facts.get(stage) ?? none;
}

/** The stages whose rules make fields of the answer or of a call, nearest to it first. */
export function makersOf(made: 'answer' | 'call'): readonly string[] {
  return [...facts].flatMap(([stage, { makes }]) => (makes?.includes(made) ? stage : [])).reverse();
}

/** The block that a stage is announced for; its own name when it has no block. */
export function wordOf(stage: string): string {
  return pipeline.find(({ stages = {} }) => Object.hasOwn(stages, stage))?.word ?? stage;
}

/** Whether a stage decides if a message is handled further. */
export function isGate(stage: string): boolean {
  return pipeline.some(
    ({ places = [], stages = {} }) => Object.hasOwn(stages, stage) && places.some(({ family }) => family === 'gate'),
  );
}

/** Whether a stage fetches or builds what later ones read. */
export function isShaping(stage: string): boolean {
  const places = pipeline.find(({ stages = {} }) => Object.hasOwn(stages, stage))?.places ?? [];
  return places.some(({ family }) => family === 'gather' || family === 'shape');
}

/** Whether a stage asks a connector, so that later expressions read its answer. */
export function isAsking(stage: string): boolean {
  const asking = pipeline.some(({ asks, stages = {} }) => asks !== undefined && Object.hasOwn(stages, stage));
  return asking && !factsOf(stage).builds;
}

/** Whether a stage runs when the flow has asked all connectors, so that it works on the answer. */
export function isAfterWork(stage: string): boolean {
  const at = pipeline.findIndex(({ key, stages = {} }) => key === stage || Object.hasOwn(stages, stage));
  return at > pipeline.findLastIndex(({ asks }) => asks !== undefined);
}

/** Whether a flow has a block that keeps whole answers. */
export function keepsAnswers(values: object): boolean {
  return pipeline.some((stage) => stage.keepsAnswers === true && isThere(values, stage.word));
}

/** Whether a flow has a block that is all it does between its gates and its answer. */
export function hasWholeWork(values: object): boolean {
  return pipeline.some(({ work, word }) => work === 'whole' && isThere(values, word));
}

/** The blocks of a flow that ask a connector, in the order in which they run. */
export function askingPlaces(values: object): readonly AskingPlace[] {
  return pipeline.flatMap(({ word, asks }) =>
    asks !== undefined && isThere(values, word) ? asks(blockOf(values, word)) : [],
  );
}

/** Whether a decoded flow contains the block of a stage. */
export function isThere(values: object, word: string | undefined): boolean {
  const block = blockOf(values, word);
  return Array.isArray(block) ? block.length > 0 : block !== undefined;
}

/** The block of a stage in a decoded flow. */
export function blockOf(values: object, word: string | undefined): unknown {
  return word === undefined ? undefined : (values as Readonly<Record<string, unknown>>)[word];
}
