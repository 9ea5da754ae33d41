import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Template } from '../shared/services.ts';

/** Templates are folders; `template.json` says what each is and is not copied. */
const manifest = 'template.json';

/** First services that a person may begin with, in the order in which they are offered. */
export async function readTemplates(directory: string): Promise<readonly Template[]> {
  const templates = await Promise.all(
    (await readdir(directory)).map(async (id) => {
      const { order, ...words } = JSON.parse(await readFile(join(directory, id, manifest), 'utf8')) as {
        readonly order: number;
      } & Omit<Template, 'id'>;
      return { order, template: { id, ...words } };
    }),
  );
  return templates.sort((a, b) => a.order - b.order).map(({ template }) => template);
}

/** The template of a name. Rejects with those that there are. */
export async function knownTemplate(directory: string, id: string): Promise<Template> {
  const templates = await readTemplates(directory);
  const found = templates.find((template) => template.id === id);
  if (found !== undefined) return found;
  throw new Error(`there is no template "${id}"; these exist: ${templates.map((each) => each.id).join(', ')}`);
}

/**
 * Writes the files of a template into a folder, and answers their paths in it. Rejects before anything is written when
 * one of them is there already.
 */
export async function writeTemplate(directory: string, id: string, target: string): Promise<readonly string[]> {
  const source = join(directory, id);
  const paths = await filesOf(source);
  const taken = await Promise.all(paths.map((path) => isThere(join(target, path))));
  const existing = paths.filter((_, index) => taken[index]);
  if (existing.length > 0) throw new Error(`${existing.join(', ')} already there in ${target}; nothing was written`);
  // By reading and writing: the files may be inside an archive, where nothing else is possible.
  for (const path of paths) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), await readFile(join(source, path)), { flag: 'wx' });
  }
  return paths;
}

/** Paths of files below a folder, with `/`, in the order of their names. */
async function filesOf(folder: string, above = ''): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const found = await Promise.all(
    entries.map((entry) =>
      entry.isDirectory()
        ? filesOf(join(folder, entry.name), `${above}${entry.name}/`)
        : above + entry.name === manifest
          ? []
          : [above + entry.name],
    ),
  );
  return found.flat();
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
