import type { CodeAction } from '@svc/protocol/language';
import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { applyAction } from '../code-action.ts';
import { languageId } from '../language.ts';
import { signalOf } from './signal.ts';

const apply = 'svc.applyAction';

/** Offers what can be done about the problems that touch the selection. */
export function provideCodeActions(studio: Studio): void {
  monaco.editor.registerCommand(
    apply,
    (_accessor, model: monaco.editor.ITextModel, version: number, action: CodeAction) => {
      if (model.isDisposed() || model.getVersionId() !== version) return;
      applyAction(studio, action).catch((error: unknown) => studio.notices.failed(error));
    },
  );
  monaco.languages.registerCodeActionProvider(
    languageId,
    {
      async provideCodeActions(model, range, { markers, only }, token) {
        if (only !== undefined && !'quickfix'.startsWith(only)) return { actions: [], dispose: () => undefined };
        const at = {
          start: model.getOffsetAt(range.getStartPosition()),
          end: model.getOffsetAt(range.getEndPosition()),
        };
        const version = model.getVersionId();
        const found = await studio.language.ask('codeActions', [pathOf(model.uri), at], signalOf(token));
        const actions = found.map((action) => ({
          title: action.title,
          kind: 'quickfix',
          isPreferred: action.isWhole && found.filter(({ isWhole }) => isWhole).length === 1,
          diagnostics: markers.filter(({ code }) => code === action.diagnostic.code),
          command: { id: apply, title: action.title, arguments: [model, version, action] },
        }));
        return { actions, dispose: () => undefined };
      },
    },
    { providedCodeActionKinds: ['quickfix'] },
  );
}
