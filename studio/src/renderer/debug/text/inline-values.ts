import type { OpenEditor } from '../../editor/editors.ts';
import { editorsOf } from '../../editor/editors.ts';
import type { Document } from '../../project/document.ts';
import type { monaco } from '../../project/monaco.ts';
import { count } from '../../shell/count.ts';
import { clockTime, preview, shownDuration, sizeOf } from '../../values/values.ts';
import type { Debugger } from '../debugger.ts';
import type { Inspected } from '../session/inspection.ts';
import { debugOf } from '../session/session.ts';
import { ruleKey, type StageRun, type Thread } from '../session/thread.ts';
import { placeOf } from '../status.tsx';
import { after } from './after.ts';
import { sampleKey } from './samples.ts';

type Decoration = monaco.editor.IModelDeltaDecoration;

/**
 * Beside each rule what it gave, beside each call how long it took: in the thread that is looked at, and of every other
 * flow of the text in its newest run.
 */
export function showInlineValues(owner: Debugger): void {
  const { studio, inspection, flows, samples } = owner;
  const { model } = debugOf(studio);
  editorsOf(studio).extend(({ editor, document }: OpenEditor) => {
    const drawn = editor.createDecorationsCollection();
    let last: readonly unknown[] = [];
    const draw = () => {
      const inspected = inspection.state.value;
      const threads = flows.outline.value.flows
        .filter(({ file }) => file === document.path)
        .flatMap(({ name }) => model.runOf(name) ?? []);
      const known = [
        inspected,
        flows.outline.value,
        samples.values.value,
        ...threads.flatMap(({ id, values, stages, isPaused, ended, stop }) => [
          ...[id, values, stages, isPaused, ended, stop],
        ]),
      ];
      // Every event of any thread comes by here; what these show seldom changes.
      if (known.length === last.length && known.every((each, at) => each === last[at])) return;
      last = known;
      drawn.set(threads.flatMap((thread) => decorationsOf(owner, thread, inspected, document)));
    };
    const undo = [model.state, model.focused, inspection.state, flows.outline, samples.values].map((store) =>
      store.subscribe(draw),
    );
    draw();
    return () => {
      for (const each of undo) each();
    };
  });
}

function decorationsOf(
  owner: Debugger,
  thread: Thread,
  inspected: Inspected | undefined,
  document: Document,
): readonly Decoration[] {
  const { flows } = owner;
  const own = inspected?.threadId === thread.id && !inspected.isRecorded ? inspected : undefined;
  const flow = flows.flow(thread.flow);
  if (flow === undefined) return [];
  const { length } = document.text;
  const isHere = (file: string, offset: number) => file === document.path && offset <= length;
  const decorations: Decoration[] = [];
  const noted = stageOfNote(thread);
  const at = thread.isPaused ? owner.lineOf(thread) : undefined;
  if (at && !at.isWritten && isHere(at.file, at.start))
    decorations.push(
      after(document, at.start, `paused ${placeOf(thread)}, which is not written`, 'inline-note paused'),
    );
  for (const { stage, name, word, file, range, family, rules } of flow.stages) {
    if (stage === undefined) continue;
    const run = thread.stages.findLast((each) => each.stage === stage && each.name === name);
    const { dropped } = thread.ended ?? {};
    if (dropped && (dropped.decidedBy === stage || dropped.decidedBy === word) && isHere(file, range.start))
      decorations.push(after(document, range.start, `dropped the message (${dropped.policy})`, 'inline-note warned'));
    const note = run && family !== 'shape' && family !== 'gate' ? noteOf(run) : '';
    if (note !== '' && isHere(file, range.start)) decorations.push(after(document, range.start, note, 'inline-note'));
    if (noted === `${stage} ${name}` && isHere(file, range.start))
      decorations.push(after(document, range.start, sourceOf(thread, flow.source?.operation), 'inline-note'));
    // The rules of a batch are those of its chunks.
    const at = word === 'batch' ? { stage: 'transform', name: 'chunk' } : { stage, name };
    const isAt = (each: { readonly stage: string; readonly name: string }) =>
      each.stage === at.stage && each.name === at.name;
    const running = own?.flow?.stages.find(isAt);
    for (const rule of rules) {
      if (!isHere(rule.file, rule.range.end)) continue;
      // What is written elsewhere, such as a guard, runs under a name of its own.
      const target = running?.rules.some((each) => each.target === rule.target)
        ? rule.target
        : running?.rules.find(({ expression }) => expression === rule.expression)?.target;
      if (running && target === undefined) {
        decorations.push(after(document, rule.range.end, 'not in the running version', 'inline-note'));
        continue;
      }
      const value = [...thread.values.values()].find((each) => isAt(each) && each.target === (target ?? rule.target));
      // Why a run failed at its end is shown below the rule.
      if (value === undefined || (value.error !== '' && thread.ended?.error)) continue;
      const isFresh = own?.fresh.has(ruleKey(at.stage, at.name, value.index)) === true;
      const forced = own?.variables.forced.find(({ path }) => path.join('.') === `output.${rule.target}`);
      const isStale = value.expression !== rule.expression && running === undefined;
      // What it would give as it is written now says more.
      if (isStale && owner.samples.values.value.has(sampleKey(rule.file, rule.range.end))) continue;
      const classes = ['inline-result', isFresh && 'fresh', value.error && 'failed', forced && 'forced'];
      const text = value.error ? `! ${value.error}` : `= ${preview(value.result)}`;
      decorations.push(
        after(document, rule.range.end, text, [...classes, isStale && 'stale'].filter(Boolean).join(' ')),
      );
      if (isStale) decorations.push(after(document, rule.range.end, 'from the last run', 'inline-note'));
      if (forced)
        decorations.push(after(document, rule.range.end, `forced, was ${preview(forced.was)}`, 'inline-note forced'));
    }
  }
  return decorations;
}

/**
 * The stage at whose head it is said whose values these are: where the thread is, else the last with values; of a run
 * that has ended the first that shapes the message, since all of it is looked at.
 */
function stageOfNote({ values, stage, name, ended }: Thread): string {
  const all = [...values.values()];
  const shaping = ended && all.find((value) => value.stage === 'transform');
  const own = shaping ?? all.find((value) => value.stage === stage && value.name === name) ?? all.at(-1);
  return own === undefined ? '' : `${own.stage} ${own.name}`;
}

function sourceOf({ number, startedAt, ended }: Thread, operation: string | undefined): string {
  const from = operation ? `values from ${operation}, ` : 'values of ';
  const how = ended === undefined ? '' : ended.error ? ', failed' : ended.dropped ? ', dropped' : ', ended';
  return `${from}thread ${number}, ${clockTime(startedAt)}${how}`;
}

/** `2 rows 1.80 ms`. */
function noteOf({ durationUs, output, error }: StageRun): string {
  if (durationUs === undefined) return '';
  if (error) return `failed after ${shownDuration(durationUs)}`;
  const rows = Array.isArray(output) ? `${count(sizeOf(output), 'row')} ` : '';
  return `${rows}${shownDuration(durationUs)}`;
}
