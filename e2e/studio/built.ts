import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from '../../test/support/folder.ts';

const root = join(import.meta.dirname, '..', '..');

/** What was built, with an empty page in place of the studio's own: what a host does is the same for any page. */
export function builtWithEmptyPage(): { readonly directory: string; remove(): void } {
  const directory = folderWith({
    'studio/dist/renderer/index.html':
      '<!doctype html><title>empty</title><a id="away" href="https://example.org/">x</a>',
    'studio/dist/renderer/assets/a-1.js': 'document.title = "script";',
  });
  for (const part of ['runtime/dist', 'studio/templates', 'studio/dist/main.js', 'studio/dist/preload.cjs'])
    cpSync(join(root, part), join(directory, part), { recursive: true });
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
