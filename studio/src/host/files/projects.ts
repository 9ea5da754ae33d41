import { mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import type { ProjectInfo } from '../../shared/services.ts';
import { InTurn, isMissing, StoredText } from './stored.ts';

const mostRecent = 20;
const mostTrusted = 1_000;

interface Remembered {
  readonly recent: readonly string[];
  readonly trusted: readonly string[];
}

/** The folder of one window, and which folders this person opened and trusts. */
export class Projects {
  /** Called after another folder was opened. */
  opened: (project: ProjectInfo) => Promise<void> = async () => undefined;
  readonly #stored: StoredText;
  readonly #turns = new InTurn();
  #current: ProjectInfo | undefined;

  constructor(settingsDirectory: string) {
    this.#stored = new StoredText(join(settingsDirectory, 'projects.json'));
  }

  get current(): ProjectInfo | undefined {
    return this.#current;
  }

  /** The open folder. Throws when no folder is open. */
  get required(): ProjectInfo {
    if (this.#current === undefined) throw new Error('no folder is open');
    return this.#current;
  }

  /** Opens a folder in place of the current one. Rejects when it is not a readable folder. */
  open(directory: string): Promise<ProjectInfo> {
    return this.#turns.run(async () => {
      const real = await readableFolder(directory);
      const { recent, trusted } = await this.#read();
      const project = { directory: real, name: basename(real) || real, trusted: trusted.includes(real) };
      await this.#write({ recent: inFront(real, recent, mostRecent), trusted });
      this.#current = project;
      await this.opened(project);
      return project;
    });
  }

  /** Records that what is in the open folder may run. */
  trust(): Promise<ProjectInfo> {
    return this.#turns.run(async () => {
      const project = this.required;
      const { recent, trusted } = await this.#read();
      await this.#write({ recent, trusted: inFront(project.directory, trusted, mostTrusted) });
      return (this.#current = { ...project, trusted: true });
    });
  }

  async recent(): Promise<readonly string[]> {
    return (await this.#read()).recent;
  }

  /** What cannot be read as such is taken for nothing: then nothing is trusted. */
  async #read(): Promise<Remembered> {
    try {
      const { recent, trusted } = JSON.parse((await this.#stored.read()) ?? '{}') as Record<string, unknown>;
      return { recent: texts(recent), trusted: texts(trusted) };
    } catch {
      return { recent: [], trusted: [] };
    }
  }

  #write(remembered: Remembered): Promise<void> {
    return this.#stored.write(JSON.stringify(remembered));
  }
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function inFront(directory: string, directories: readonly string[], most: number): string[] {
  return [directory, ...directories.filter((each) => each !== directory)].slice(0, most);
}

async function readableFolder(directory: string): Promise<string> {
  absolute(directory);
  try {
    const real = await realpath(directory);
    if (!(await stat(real)).isDirectory()) throw new Error(`${directory} is a file; open the folder that holds it`);
    await readdir(real);
    return real;
  } catch (error) {
    if (isMissing(error)) throw new Error(`there is no folder ${directory}`);
    throw error;
  }
}

/** Makes a folder for a new project, or takes one that is empty. Rejects when it has files. */
export async function emptyFolder(directory: string): Promise<void> {
  absolute(directory);
  await mkdir(directory, { recursive: true });
  if ((await readdir(directory)).length > 0) throw new Error(`${directory} has files already`);
}

function absolute(directory: string): void {
  if (!isAbsolute(directory) || directory.includes('\0')) throw new Error('name the folder by its whole path');
}
