import type { GitChange, GitState } from '../../shared/git.ts';
import { largestFile, textOf } from '../files/texts.ts';
import { isShown, listTree } from '../files/tree.ts';
import { GitCommand } from './command.ts';
import { WorkingTree } from './working-tree.ts';

/** Bytes of the longest list of files. */
const longestList = 16 * 1024 * 1024;
const short = 4_096;
/** Files that differ and are shown. */
const mostChanges = 5_000;

interface Commit {
  readonly id: string;
  /** The identities of the shown files of the folder by their paths. */
  readonly files: ReadonlyMap<string, string>;
}

/** Reads what git knows of one folder, which may be below the folder of its repository. It changes nothing. */
export class Repository {
  readonly #directory: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #tree = new WorkingTree();
  #command: Promise<GitCommand | undefined> | undefined;
  #commit: Commit | undefined;

  constructor(directory: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#directory = directory;
    this.#environment = environment;
  }

  /** The folder that git keeps the repository in; undefined without a repository or without git. */
  async folder(): Promise<string | undefined> {
    const said = await this.#say(['rev-parse', '--is-inside-work-tree', '--absolute-git-dir']);
    const [isInside, folder] = said?.split('\n') ?? [];
    return isInside === 'true' && folder ? folder : undefined;
  }

  /** The branch and what differs from the last commit; undefined without a repository. */
  async state(): Promise<GitState | undefined> {
    if ((await this.folder()) === undefined) return undefined;
    const branch = (await this.#say(['symbolic-ref', '--short', '--quiet', 'HEAD'])) || undefined;
    const commit = await this.#lastCommit();
    const changes = await this.#changes(commit?.files ?? new Map());
    if (changes === undefined) return undefined;
    const isCut = changes.length > mostChanges;
    return { branch, commit: commit?.id, changes: changes.slice(0, mostChanges), truncated: isCut };
  }

  /** The text of a file at the last commit; undefined where it was not there. */
  async text(path: string): Promise<string | undefined> {
    const id = (await this.#lastCommit())?.files.get(path);
    if (id === undefined) return undefined;
    const bytes = await this.#run(['cat-file', 'blob', id], largestFile);
    return bytes && textOf(bytes);
  }

  async #lastCommit(): Promise<Commit | undefined> {
    const id = await this.#say(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    if (id === undefined || !/^[0-9a-f]{40,64}$/.test(id)) return (this.#commit = undefined);
    if (this.#commit?.id === id) return this.#commit;
    const listed = await this.#run(['ls-tree', '-r', '-z', id], longestList);
    if (listed === undefined) return (this.#commit = undefined);
    const files = new Map<string, string>();
    for (const line of listed.toString('utf8').split('\0')) {
      // Links and other repositories are not files of the project.
      const [, own, path] = /^100\d{3} blob ([0-9a-f]{40,64})\t(.+)$/s.exec(line) ?? [];
      if (own && path?.split('/').every(isShown)) files.set(path, own);
    }
    return (this.#commit = { id, files });
  }

  async #changes(before: ReadonlyMap<string, string>): Promise<readonly GitChange[] | undefined> {
    const { entries, truncated } = await listTree(this.#directory);
    const present = new Set(entries.flatMap(({ path, kind }) => (kind === 'file' ? path : [])));
    const kept = [...before].filter(([path]) => present.has(path));
    const changed = await this.#tree.changed(this.#directory, kept);
    const news = [...present].filter((path) => !before.has(path));
    const ignored = await this.#ignored(news);
    const gone = truncated ? [] : [...before.keys()].filter((path) => !present.has(path));
    const of = (kind: GitChange['kind'], paths: readonly string[]) => paths.map((path) => ({ path, kind }));
    return [
      ...of(
        'added',
        news.filter((path) => !ignored.has(path)),
      ),
      ...of('changed', changed),
      ...of('removed', gone),
    ].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Those that the repository ignores; all where it cannot be asked, so that nothing is said of them. */
  async #ignored(paths: readonly string[]): Promise<ReadonlySet<string>> {
    if (paths.length === 0) return new Set();
    const asked = ['check-ignore', '--stdin', '-z', '--verbose', '--non-matching', '--no-index'];
    const said = await this.#run(asked, longestList, paths.map((path) => `./${path}\0`).join(''));
    if (said === undefined) return new Set(paths);
    // In front of a path, the dot keeps its first letters from being taken for words of git.
    // Each path with the file, the line and the pattern that it is ignored by, which are empty where no pattern matches.
    const parts = said.toString('utf8').split('\0');
    const ignored = new Set<string>();
    for (let at = 0; at + 3 < parts.length; at += 4) {
      const [, , pattern = '', path = ''] = parts.slice(at, at + 4);
      if (pattern !== '' && !pattern.startsWith('!')) ignored.add(path.slice('./'.length));
    }
    return ignored;
  }

  /** What a command says in one or two lines. */
  async #say(args: readonly string[]): Promise<string | undefined> {
    return (await this.#run(args, short))?.toString('utf8').trim();
  }

  async #run(args: readonly string[], most: number, input?: string): Promise<Buffer | undefined> {
    const command = await (this.#command ??= GitCommand.find(this.#environment));
    return command?.run(this.#directory, args, most, input);
  }
}
