import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export interface StudioPlaces {
  /** Where all of the product is. */
  readonly root: string;
  /** What a browser loads; absent until it is built. */
  readonly renderer: string;
  readonly templates: string;
}

/** Where the studio's own files are, seen from its source as well as from a bundle beside or inside of it. */
export function studioPlaces(): StudioPlaces {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const studio = join(folder, 'studio');
    if (existsSync(join(studio, 'templates')))
      return { root: folder, renderer: join(studio, 'dist', 'renderer'), templates: join(studio, 'templates') };
    if (dirname(folder) === folder) throw new Error('the files of the studio are not there; install svc again');
  }
}

/** Where settings of this person are kept, as each system has it. */
export function settingsDirectory(environment: Readonly<Record<string, string | undefined>>): string {
  const home = homedir();
  const base =
    process.platform === 'win32'
      ? environment['APPDATA'] || join(home, 'AppData', 'Roaming')
      : process.platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : environment['XDG_CONFIG_HOME'] || join(home, '.config');
  return join(base, 'svc-studio');
}
