import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { locationsOf } from './places.ts';
import { signalOf } from './signal.ts';

/** Finds every place that names the same thing. */
export function provideReferences(studio: Studio): void {
  monaco.languages.registerReferenceProvider(languageId, {
    async provideReferences(model, position, { includeDeclaration }, token) {
      const at = model.getOffsetAt(position);
      const asked = [pathOf(model.uri), at, includeDeclaration] as const;
      return locationsOf(await studio.language.ask('references', [...asked], signalOf(token)), studio);
    },
  });
}
