import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { signalOf } from './signal.ts';

/** Shows types and operations behind values, in the part of the text that is in sight. */
export function provideInlayHints({ language }: Studio): void {
  const changed = new monaco.Emitter<void>();
  // What a hint says may depend on other files.
  language.checked.subscribe(() => changed.fire());
  monaco.languages.registerInlayHintsProvider(languageId, {
    onDidChangeInlayHints: changed.event,
    async provideInlayHints(model, range, token) {
      const at = { start: model.getOffsetAt(range.getStartPosition()), end: model.getOffsetAt(range.getEndPosition()) };
      const found = await language.ask('inlayHints', [pathOf(model.uri), at], signalOf(token));
      const hints = found.map(({ offset, label, kind, tooltip }) => ({
        label,
        position: model.getPositionAt(offset),
        paddingLeft: true,
        ...(kind === 'type' ? { kind: monaco.languages.InlayHintKind.Type } : {}),
        ...(tooltip === undefined ? {} : { tooltip: { value: tooltip } }),
      }));
      return { hints, dispose: () => undefined };
    },
  });
}
