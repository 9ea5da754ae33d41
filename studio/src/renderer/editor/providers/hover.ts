import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { toRange } from './convert.ts';
import { signalOf } from './signal.ts';

/** Explains what is under the pointer. */
export function provideHover({ language }: Studio): void {
  monaco.languages.registerHoverProvider(languageId, {
    async provideHover(model, position, token) {
      const at = model.getOffsetAt(position);
      const found = await language.ask('hover', [pathOf(model.uri), at], signalOf(token));
      return found && { contents: [{ value: found.text }], range: toRange(model, found.range) };
    },
  });
}
