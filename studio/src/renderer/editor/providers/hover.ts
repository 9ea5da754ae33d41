import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { toRange } from './convert.ts';
import { fixLinks, registerFixes } from './fix-links.ts';
import { signalOf } from './signal.ts';

/** Explains what is under the pointer; the editor itself shows what is wrong there, and this what can be done about it. */
export function provideHover(studio: Studio): void {
  registerFixes(studio);
  const { language } = studio;
  monaco.languages.registerHoverProvider(languageId, {
    async provideHover(model, position, token) {
      const at = model.getOffsetAt(position);
      const signal = signalOf(token);
      const [fixes, found] = await Promise.all([
        fixLinks(studio, model, at, signal),
        language.ask('hover', [pathOf(model.uri), at], signal),
      ]);
      const contents = [...(fixes ? [fixes.content] : []), ...(found ? [{ value: found.text }] : [])];
      const range = fixes?.range ?? found?.range;
      return range && { contents, range: toRange(model, range) };
    },
  });
}
