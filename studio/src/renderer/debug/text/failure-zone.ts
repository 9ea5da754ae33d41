import type { OpenEditor } from '../../editor/editors.ts';
import { editorsOf } from '../../editor/editors.ts';
import { monaco } from '../../project/monaco.ts';
import { clockTime } from '../../values/values.ts';
import type { Debugger } from '../debugger.ts';
import { debugOf } from '../session/session.ts';
import { failuresIn, type ShownFailure } from './failures.ts';

const rowHeight = 20;

/**
 * Under the rule or block at which the newest run of a flow failed, or for whose failure or drop a thread is stopped,
 * why. It goes with the next run that is shown.
 */
export function showFailures(owner: Debugger): void {
  const { studio, stops, flows } = owner;
  const { model } = debugOf(studio);
  editorsOf(studio).extend(({ editor, document }: OpenEditor) => {
    let zones: readonly string[] = [];
    let last = '';
    const draw = () => {
      const failures = failuresIn(owner, document.path).filter(({ line }) => line <= document.model.getLineCount());
      const shown = failures.map(({ thread, line, message }) => `${thread.id} ${line} ${message}`).join('\n');
      // Every event of any thread comes by here.
      if (shown === last) return;
      last = shown;
      editor.changeViewZones((accessor) => {
        for (const zone of zones) accessor.removeZone(zone);
        zones = failures.map((failure) =>
          accessor.addZone({
            afterLineNumber: failure.line,
            heightInPx: rowHeight,
            domNode: nodeOf(failure, columnOf(document.model, failure.line), editor),
            marginDomNode: marginOf(),
          }),
        );
      });
    };
    const undo = [model.state, model.focused, stops.all, flows.outline].map((store) => store.subscribe(draw));
    draw();
    return () => {
      for (const each of undo) each();
    };
  });
}

/** The column of the first character of a line, from 0. */
function columnOf(model: monaco.editor.ITextModel, line: number): number {
  return Math.max(0, model.getLineFirstNonWhitespaceColumn(line) - 1);
}

function nodeOf(
  { message, title, thread }: ShownFailure,
  column: number,
  editor: monaco.editor.ICodeEditor,
): HTMLElement {
  const { typicalHalfwidthCharacterWidth: width } = editor.getOption(monaco.editor.EditorOption.fontInfo);
  const node = window.document.createElement('div');
  node.className = 'failure';
  node.style.paddingLeft = `${column * width}px`;
  node.title = message;
  const what = window.document.createElement('b');
  what.textContent = `${title}:`;
  const why = window.document.createElement('span');
  why.textContent = withoutPlace(message, thread);
  const whose = window.document.createElement('small');
  whose.textContent = `${thread.flow} #${thread.number}, ${clockTime(thread.startedAt)}`;
  node.append(what, why, whose);
  return node;
}

/** Messages of rules begin with the stage and the target, which are shown already. */
function withoutPlace(message: string, { failedAt }: ShownFailure['thread']): string {
  const place = failedAt?.rule && `${failedAt.stage}: ${failedAt.rule.target}: `;
  return place !== undefined && message.startsWith(place) ? message.slice(place.length) : message;
}

function marginOf(): HTMLElement {
  const margin = window.document.createElement('div');
  margin.className = 'failure-margin';
  return margin;
}
