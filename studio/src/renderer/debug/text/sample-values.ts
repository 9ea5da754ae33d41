import type { OpenEditor } from '../../editor/editors.ts';
import { editorsOf } from '../../editor/editors.ts';
import { preview } from '../../values/values.ts';
import type { Debugger } from '../debugger.ts';
import { after } from './after.ts';

/** Beside rules that no run has evaluated as they are written, what they give for a sample, marked as such. */
export function showSampleValues({ studio, samples }: Debugger): void {
  editorsOf(studio).extend(({ editor, document }: OpenEditor) => {
    const drawn = editor.createDecorationsCollection();
    const draw = () => {
      const own = [...samples.values.value.values()].filter(
        ({ file, end }) => file === document.path && end <= document.text.length,
      );
      drawn.set(
        own.flatMap(({ end, value, error, from }) => [
          error === ''
            ? after(document, end, `= ${preview(value)}`, 'inline-result sample')
            : after(document, end, 'failed', 'inline-result failed sample'),
          after(document, end, error === '' ? `sample, ${from}` : `${error}: sample, ${from}`, 'inline-note'),
        ]),
      );
    };
    const stop = samples.values.subscribe(draw);
    draw();
    return stop;
  });
}
