import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { toSymbol } from './convert.ts';
import { signalOf } from './signal.ts';

/** The blocks of a file: the lines that stay at the top while the text below scrolls are theirs. */
export function provideDocumentSymbols({ language }: Studio): void {
  monaco.languages.registerDocumentSymbolProvider(languageId, {
    async provideDocumentSymbols(model, token) {
      const symbols = await language.ask('documentSymbols', [pathOf(model.uri)], signalOf(token));
      return symbols.map((symbol) => toSymbol(symbol, model));
    },
  });
}
