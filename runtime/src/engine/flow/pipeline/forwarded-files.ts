import type { ArgumentSource, CelSource } from '@svc/protocol/schema';
import { namesBytes } from '../message/binary-answer.ts';
import type { FlowModel } from '../model.ts';
import { type FoundSource, findSources } from '../sources-in.ts';
import type { Destination } from '../stages/destination/destination.ts';
import type { FlowTools } from '../tools.ts';
import { hasWholeWork, keepsAnswers } from './stages.ts';

/** The properties of a file that are known before its bytes have arrived. */
const label: ReadonlySet<string> = new Set(['filename', 'content_type']);

/** What aspects do around a flow. */
interface Surroundings {
  readonly readsAnswer: boolean;
  readonly work: readonly unknown[];
}

/** One place that takes a file from its first byte to its last: an answer of bytes, or a target that stores it. */
interface Taker {
  readonly source: CelSource;
  readonly at: 'response' | 'step' | Destination;
}

/**
 * The steps whose result is a file that one place takes, and nothing else reads or keeps: `_binary = "step.file"` of the
 * answer, `content = "step.file"` of what is stored. Such a file can be forwarded as it comes.
 */
export function forwardedSteps(model: FlowModel, tools: FlowTools, aspects: Surroundings): ReadonlySet<string> {
  const { values } = model;
  if (values.step.length === 0 || aspects.work.length > 0 || isRepeated(model)) return new Set();
  const sources = findSources(values);
  const names = takersOf(model, tools).flatMap((taker) => {
    if (taker.at === 'response' && (aspects.readsAnswer || !isAnswerFree(model))) return [];
    const [, name] = /^step\.(\w+)$/.exec(taker.source.source.trim()) ?? [];
    if (name === undefined || (taker.at === 'step' && !hasOwnAnswer(model, tools, sources))) return [];
    return isReadElsewhere(['step', name], taker.source, sources, tools) ? [] : [name];
  });
  return new Set(names);
}

/**
 * The fields of the message that hold a file which one place takes, and nothing else reads or keeps. `isWatched` says
 * whether aspects surround the flow.
 */
export function forwardedFields(model: FlowModel, tools: FlowTools, isWatched: boolean): ReadonlySet<string> {
  const { values, inputTypes, destinations } = model;
  if (isWatched || isRepeated(model) || inputTypes.length > 0 || destinations.length > 1) return new Set();
  // The fallback is sent what the flow received.
  if (values.error_handling?.fallback !== undefined) return new Set();
  const takers = takersOf(model, tools).filter(({ at }) => at !== 'response');
  if (takers.length === 0) return new Set();
  const sources = findSources(values);
  const names = takers.flatMap(({ source, at }) => {
    const [, name] = /^input\.(\w+)$/.exec(source.source.trim()) ?? [];
    if (name === undefined || isReadElsewhere(['input', name], source, sources, tools)) return [];
    if (at === 'step' && !hasOwnAnswer(model, tools, sources)) return [];
    return destinations.every((to) => to === at || takesOwnFields(model, to)) ? [name] : [];
  });
  return new Set(names);
}

/** Work that is done again, done for other callers too, or compared with what was done before needs the bytes again. */
function isRepeated({ values, work }: FlowModel): boolean {
  if (work !== undefined || hasWholeWork(values) || keepsAnswers(values)) return true;
  return values.dedupe !== undefined || values.error_handling?.retry !== undefined;
}

/** Nothing but the caller takes the answer: its type is not checked, and no invalidation reads it. */
function isAnswerFree({ values, outputTypes }: FlowModel): boolean {
  return outputTypes.length === 0 && values.after === undefined;
}

/** The answer is what `response` or a destination makes, so that no result of a step is it. */
function hasOwnAnswer({ values, destinations }: FlowModel, tools: FlowTools, sources: readonly FoundSource[]): boolean {
  if (destinations.length > 0) return true;
  if (values.response === undefined) return false;
  return !sources.some(({ source, variables }) => tools.expression(source, '', variables).reads(['output']));
}

/** A destination that gets what its transform makes, and nothing of the message besides. */
function takesOwnFields({ values: flow }: FlowModel, { query, values }: Destination): boolean {
  if (query !== undefined || values.transaction !== undefined) return false;
  return (values.transform?.fields.length ?? 0) > 0 || (flow.transform?.fields.length ?? 0) > 0;
}

function takersOf({ values, destinations }: FlowModel, tools: FlowTools): readonly Taker[] {
  const takers: Taker[] = [];
  const sent = values.response?.fields.findLast(({ name }) => name === '_binary')?.value;
  if (sent !== undefined && namesBytes(values.response?.fields)) takers.push({ source: sent, at: 'response' });
  for (const step of values.step) {
    const { forwards } = tools.connector(step.connector);
    for (const source of [...named(step.params, forwards), ...named(step.body, forwards)])
      takers.push({ source, at: 'step' });
  }
  for (const to of destinations) {
    const { forwards } = to.use;
    const built = to.values.transform ?? (destinations.length === 1 ? values.transform : undefined);
    const bytes = built?.fields.findLast(({ name }) => name === '_binary')?.value;
    if (bytes !== undefined && forwards.has('_binary')) takers.push({ source: bytes, at: to });
    for (const source of named(to.values.params, forwards)) takers.push({ source, at: to });
  }
  return takers;
}

/** Expressions of these entries. */
function named(argument: ArgumentSource | undefined, names: ReadonlySet<string>): readonly CelSource[] {
  if (argument?.kind !== 'map') return [];
  return argument.entries.flatMap(([name, source]) => (names.has(name) && source.kind === 'cel' ? [source] : []));
}

/** Whether an expression besides the one that takes it reads more of a file than its label. */
function isReadElsewhere(
  [variable, name]: readonly [string, string],
  taking: CelSource,
  sources: readonly FoundSource[],
  tools: FlowTools,
): boolean {
  return sources.some(
    ({ source, variables }) =>
      source !== taking &&
      tools
        .expression(source, '', variables)
        .program.references.some(
          ({ path: [read, part, field] }) =>
            read === variable && (part === undefined || part === name) && !label.has(field ?? ''),
        ),
  );
}
