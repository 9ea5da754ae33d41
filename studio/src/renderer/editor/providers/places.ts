import type { Place } from '@svc/protocol/language';
import type { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';

/** Places as the editor shows them. Their files are opened first: the editor peeks into nothing that is not open. */
export function locationsOf(places: readonly Place[], { project }: Studio): Promise<monaco.languages.Location[]> {
  return Promise.all(
    places.map(async ({ file, range }) => {
      const document = await project.open(file);
      return { uri: document.model.uri, range: document.rangeOf(range.start, range.end) };
    }),
  );
}
