import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { locationsOf } from './places.ts';
import { signalOf } from './signal.ts';

/** Leads from a name to where it is declared. */
export function provideDefinition(studio: Studio): void {
  monaco.languages.registerDefinitionProvider(languageId, {
    async provideDefinition(model, position, token) {
      const at = model.getOffsetAt(position);
      return locationsOf(await studio.language.ask('definition', [pathOf(model.uri), at], signalOf(token)), studio);
    },
  });
}
