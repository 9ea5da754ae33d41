import { isConfiguration } from '../project/project.ts';
import type { Studio } from '../shell/studio.ts';

/** Brings a file into the canonical layout; a file with syntax errors stays as it is. */
export async function format({ language, project }: Studio, path: string): Promise<void> {
  const document = project.documents.value.get(path);
  if (document === undefined || !isConfiguration(path)) return;
  const version = document.model.getVersionId();
  const edits = await language.ask('formatting', [path]);
  // The person typed meanwhile: the edits are of another text.
  if (edits.length > 0 && document.model.getVersionId() === version) document.apply(edits);
}

/** Files are formatted whenever they are saved, where the person wants that. */
export function formatOnSave(studio: Studio): void {
  studio.project.beforeSave = async (path) => {
    if (studio.settings.state.value.formatOnSave) await format(studio, path);
  };
}
