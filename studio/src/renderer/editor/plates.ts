import type { Document } from '../project/document.ts';
import { isConfiguration } from '../project/project.ts';
import type { Studio } from '../shell/studio.ts';

/** Lays a faint plate under every expression of the open texts, so that two languages are visibly two. */
export function showPlates({ language, project }: Studio): void {
  const drawn = new WeakMap<Document, string[]>();
  const draw = async (document: Document) => {
    const version = document.model.getVersionId();
    const ranges = await language.ask('expressionRanges', [document.path]);
    // Of an older text: the plates moved along with it, and the next check draws them again.
    if (document.model.isDisposed() || document.model.getVersionId() !== version) return;
    // The last character, a quote, is left out and covered by the padding of the plate: what is injected behind the
    // expression, such as its value, would be on the plate of a range that reaches to it.
    const plates = ranges.map(({ start, end }) => ({
      range: document.rangeOf(start, Math.max(start, end - 1)),
      options: { description: 'expression', className: 'expression-plate' },
    }));
    drawn.set(document, document.model.deltaDecorations(drawn.get(document) ?? [], plates));
  };
  const drawAll = () => {
    for (const document of project.documents.value.values()) if (isConfiguration(document.path)) void draw(document);
  };
  language.checked.subscribe(drawAll);
  project.documents.subscribe(drawAll);
}
