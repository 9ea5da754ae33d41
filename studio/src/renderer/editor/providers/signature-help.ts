import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { signalOf } from './signal.ts';

/** Shows the parameters of the call that is being written. */
export function provideSignatureHelp({ language }: Studio): void {
  monaco.languages.registerSignatureHelpProvider(languageId, {
    signatureHelpTriggerCharacters: ['(', ','],
    signatureHelpRetriggerCharacters: [')'],
    async provideSignatureHelp(model, position, token) {
      const at = model.getOffsetAt(position);
      const help = await language.ask('signatureHelp', [pathOf(model.uri), at], signalOf(token));
      if (help === undefined) return null;
      const signatures = help.signatures.map(({ label, doc, parameters }) => ({
        label,
        documentation: { value: doc },
        parameters: parameters.map((parameter) => ({ label: parameter })),
      }));
      const value = { signatures, activeSignature: help.active, activeParameter: help.argument };
      return { value, dispose: () => undefined };
    },
  });
}
