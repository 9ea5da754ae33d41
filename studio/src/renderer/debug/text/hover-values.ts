import { languageId } from '../../editor/language.ts';
import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import { maskedJson } from '../../values/tokens.ts';
import { preview } from '../../values/values.ts';
import type { Debugger } from '../debugger.ts';
import { forcedIn, forcedNote } from '../session/forced.ts';
import { recordedVariables } from '../session/recorded.ts';
import { evaluateRecorded } from '../session/recorded-evaluation.ts';
import { debugOf } from '../session/session.ts';
import type { Thread } from '../session/thread.ts';
import { expressionAt } from './expression-at.ts';

/** Characters of a value that is shown. */
const longest = 2_000;

/** Under the pointer, what an expression reads there: in the thread that is paused, else in the run that is shown. */
export function showHoverValues(owner: Debugger): void {
  const { studio, flows } = owner;
  const { language } = studio;
  const { model } = debugOf(studio);
  monaco.languages.registerHoverProvider(languageId, {
    async provideHover(text, position) {
      const path = pathOf(text.uri);
      const offset = text.getOffsetAt(position);
      const flow = flows.outline.value.flows.find(
        ({ file, range }) => file === path && range.start <= offset && offset <= range.end,
      );
      const paused = model.current?.isPaused ? model.current : undefined;
      // What is written outside of flows, such as an aspect, is read where a thread is paused.
      const thread = flow === undefined ? paused : model.runOf(flow.name);
      if (thread === undefined || (!thread.isPaused && thread.ended === undefined)) return undefined;
      const ranges = await language.ask('expressionRanges', [path]);
      const range = ranges.find(({ start, end }) => start < offset && offset < end);
      if (range === undefined) return undefined;
      const part = expressionAt(text.getValue().slice(range.start, range.end), offset - range.start);
      const shown = part && (await shownValue(owner, thread, part.text));
      if (part === undefined || shown === undefined) return undefined;
      const [from, to] = [part.start, part.end].map((at) => text.getPositionAt(range.start + at));
      return {
        contents: [{ value: shown }],
        range: monaco.Range.fromPositions(from as monaco.Position, to as monaco.Position),
      };
    },
  });
}

/** Markdown; undefined where there is no value. */
async function shownValue(
  { studio, inspection }: Debugger,
  thread: Thread,
  expression: string,
): Promise<string | undefined> {
  const { id: threadId, flow, number, isPaused } = thread;
  const whose = `${flow} #${number}${isPaused ? '' : ', as it ended'}`;
  try {
    const found = isPaused
      ? await debugOf(studio).call('debug.evaluate', { threadId, expression })
      : await recorded(studio, thread, expression);
    if (found === undefined) return undefined;
    const { result, type } = found;
    const forced = forcedIn(inspection.state.value, threadId, expression);
    const note = forced ? `, ${forcedNote(forced)}` : '';
    const isLong = typeof result === 'object' && result !== null;
    const value = (isLong ? maskedJson(result) : preview(result, longest)).slice(0, longest);
    return `\`\`\`json\n${value.replaceAll('```', "'''")}\n\`\`\`\n${expression}, ${type}, in ${whose}${note}`;
  } catch {
    // A variable of a macro, or what does not exist yet at this stop.
    return undefined;
  }
}

async function recorded({ language }: Debugger['studio'], thread: Thread, expression: string) {
  const found = await evaluateRecorded(language, recordedVariables(thread), expression);
  return 'error' in found ? undefined : found;
}
