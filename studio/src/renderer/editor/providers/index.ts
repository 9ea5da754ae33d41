import type { Studio } from '../../shell/studio.ts';
import { provideCodeActions } from './code-actions.ts';
import { provideCompletion } from './completion.ts';
import { provideDefinition } from './definition.ts';
import { provideDocumentSymbols } from './document-symbols.ts';
import { provideFolding } from './folding.ts';
import { provideFormatting } from './formatting.ts';
import { provideHover } from './hover.ts';
import { provideInlayHints } from './inlay-hints.ts';
import { provideReferences } from './references.ts';
import { provideRename } from './rename.ts';
import { provideSemanticTokens } from './semantic-tokens.ts';
import { provideSignatureHelp } from './signature-help.ts';

/** Everything that the language service gives to the editor. */
export function provideLanguage(studio: Studio): void {
  for (const provide of [
    provideCodeActions,
    provideCompletion,
    provideDefinition,
    provideDocumentSymbols,
    provideFolding,
    provideFormatting,
    provideHover,
    provideInlayHints,
    provideReferences,
    provideRename,
    provideSemanticTokens,
    provideSignatureHelp,
  ])
    provide(studio);
}
