import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, rcompare, satisfies } from 'semver';
import { shownSource } from '../declared/source.ts';
import { bounds, checkBounds } from '../install/digest.ts';
import { PluginProblem } from '../install/problem.ts';
import { shownPath } from './file-writer.ts';
import { type GitCall, git, gitText } from './git-program.ts';
import type { FileWriter, OriginContext, PluginOrigin, Release, Wanted } from './origin.ts';
import { PieceReader } from './piece-reader.ts';

/** Milliseconds. */
const listingTime = 60_000;
const fetchTime = 300_000;

/** Bytes of the longest list of tags or files. */
const longestList = 16 * 1024 * 1024;

/** Bytes that a fetch may store, and milliseconds between two looks at them. */
const mostFetched = 2 * bounds.bytes;
const lookEvery = 250;

interface Tag {
  readonly name: string;
  readonly version: string;
  readonly commit: string;
}

interface Entry {
  readonly path: string;
  readonly object: string;
  readonly bytes: number;
}

/**
 * A repository of which the tags `v1.2.3` or `1.2.3` are releases. Files are taken out of its objects: nothing is checked out,
 * so that neither hooks nor filters, links, submodules or conversions of line ends are of any effect.
 */
export class RepositoryOrigin implements PluginOrigin {
  readonly #address: string;
  readonly #shown: string;
  readonly #context: OriginContext;
  readonly #repository: string;
  #made: Promise<void> | undefined;

  constructor(address: string, context: OriginContext) {
    this.#address = address;
    this.#shown = shownSource(address);
    this.#context = context;
    this.#repository = join(context.workFolder, 'repository');
  }

  async find(wanted: Wanted): Promise<Release> {
    const { version, commit } = await this.#tagOf(wanted);
    return { version, commit };
  }

  async fetch({ version = '', commit }: Release, into: FileWriter): Promise<void> {
    const { name, commit: current } = await this.#tagOf({ version });
    if (current !== commit) throw moved(this.#shown, name, commit, current);
    await this.#bring(name);
    const got = await this.#text(['rev-parse', '--verify', 'refs/release/plugin^{commit}'], 'read the release', 200);
    // The tag may have moved since the list was read.
    if (got.trim() !== commit) throw moved(this.#shown, name, commit, got.trim());
    await this.#extract(await this.#entries(commit), into);
  }

  async #tagOf(wanted: Wanted): Promise<Tag> {
    const tags = await this.#tags();
    if ('range' in wanted) {
      const allowed = tags.filter(({ version }) => satisfies(version, wanted.range));
      const [newest] = allowed.sort((a, b) => rcompare(a.version, b.version));
      if (newest !== undefined) return this.#only(newest, tags);
      const known = tags.map(({ version }) => version).sort(rcompare);
      throw new PluginProblem(
        known.length === 0
          ? `${this.#shown} has no releases: a release is a tag such as v1.0.0.`
          : `${this.#shown} has no version that is allowed. It has ${known.slice(0, 10).join(', ')}${known.length > 10 ? ', …' : ''}.`,
      );
    }
    const tag = tags.find(({ version }) => version === wanted.version);
    if (tag === undefined) throw new PluginProblem(`${this.#shown} has no tag for the version ${wanted.version}.`);
    return this.#only(tag, tags);
  }

  /** `v1.0.0` and `1.0.0` must not be two things. */
  #only(tag: Tag, tags: readonly Tag[]): Tag {
    const other = tags.find(({ version, commit }) => version === tag.version && commit !== tag.commit);
    if (other === undefined) return tag;
    throw new PluginProblem(
      `${this.#shown} has the tags ${tag.name} (${tag.commit}) and ${other.name} (${other.commit}) for one version.`,
    );
  }

  async #tags(): Promise<Tag[]> {
    const doing = `list the tags of ${this.#shown}`;
    const text = await this.#text(['ls-remote', '--tags', '--', this.#address, 'refs/tags/*'], doing, longestList);
    const commits = new Map<string, string>();
    for (const line of text.split('\n')) {
      const [, object, name, peeled] =
        /^([0-9a-f]{40,64})\trefs\/tags\/([0-9A-Za-z.-]{1,128})(\^\{\})?$/.exec(line) ?? [];
      // The object behind an annotated tag follows it.
      if (name !== undefined && object !== undefined && (peeled !== undefined || !commits.has(name)))
        commits.set(name, object);
    }
    return [...commits].flatMap(([name, commit]) => {
      const version = name.replace(/^v/, '');
      return parse(version)?.version === version ? [{ name, version, commit }] : [];
    });
  }

  /** Fetches what one tag names. The folder is looked at meanwhile: what is sent too much is ended. */
  async #bring(tag: string): Promise<void> {
    const stop = new AbortController();
    let isTooLarge = false;
    const look = async () => {
      if ((await bytesIn(join(this.#repository, 'objects'))) <= mostFetched) return;
      isTooLarge = true;
      stop.abort();
    };
    const timer = setInterval(() => void look(), lookEvery);
    const args = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    try {
      await gitText(
        {
          ...this.#call(
            [...args, '--', this.#address, `+refs/tags/${tag}:refs/release/plugin`],
            `fetch ${this.#shown}`,
          ),
          timeout: fetchTime,
          signal: AbortSignal.any([stop.signal, this.#context.signal]),
        },
        longestList,
      );
      await look();
    } catch (error) {
      if (!isTooLarge) throw error;
    } finally {
      clearInterval(timer);
    }
    if (isTooLarge) throw new PluginProblem(`${this.#shown} is larger than ${mostFetched / 1024 / 1024} MiB.`);
  }

  /** The files of a commit. Whatever is not a file is refused before anything is written. */
  async #entries(commit: string): Promise<readonly Entry[]> {
    const args = ['ls-tree', '-r', '-z', '--long', '--full-tree', commit];
    const text = await this.#text(args, `list the files of ${this.#shown}`, longestList);
    let total = 0;
    return text.split('\0').flatMap((line, at) => {
      const [, mode, object, size, path] = /^(\d{6}) \w+ ([0-9a-f]{40,64}) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
      if (mode === undefined || object === undefined || path === undefined) return [];
      if (mode !== '100644' && mode !== '100755' && mode !== '100664')
        throw new PluginProblem(
          `${shownPath(path)} of ${this.#shown} is a ${mode === '120000' ? 'link' : 'submodule'}: a plugin is made of files.`,
        );
      const bytes = Number(size);
      checkBounds(at + 1, (total += bytes));
      return [{ path, object, bytes }];
    });
  }

  async #extract(entries: readonly Entry[], into: FileWriter): Promise<void> {
    const call = this.#call(['cat-file', '--batch'], `read the files of ${this.#shown}`);
    const input = entries.map(({ object }) => `${object}\n`).join('');
    const reader = new PieceReader(git({ ...call, timeout: fetchTime, input }));
    try {
      for (const { path, object, bytes } of entries) {
        const head = await reader.line();
        if (head !== `${object} blob ${bytes}`)
          throw new PluginProblem(`git could not read ${shownPath(path)}: ${head}.`);
        await into.write(path, reader.bytes(bytes));
        await reader.line();
      }
    } finally {
      await reader.close();
    }
  }

  async #text(args: readonly string[], doing: string, most: number): Promise<string> {
    this.#made ??= this.#make();
    await this.#made;
    return gitText(this.#call(args, doing), most);
  }

  /** Everything is done in a repository of its own, so that one that surrounds the configuration does not count. */
  async #make(): Promise<void> {
    await mkdir(this.#repository, { recursive: true });
    const args = ['init', '--quiet', '--bare', '--template=', this.#repository];
    await gitText({ ...this.#call([], 'make a repository'), args }, longestList);
  }

  #call(args: readonly string[], doing: string): GitCall {
    const { variables, signal } = this.#context;
    const all = [`--git-dir=${this.#repository}`, ...args];
    return { args: all, timeout: listingTime, signal, variables, cwd: this.#repository, doing };
  }
}

function moved(source: string, tag: string, was: string | undefined, is: string): PluginProblem {
  return new PluginProblem(
    `The tag ${tag} of ${source} is the commit ${is}, and it was ${was}. A release that was changed is not installed: ask those who make the plugin. If the change is wanted, run "svc plugin remove" for it, and install it again.`,
  );
}

/** Bytes of the files of a folder; what disappears meanwhile does not count. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const found = entry.isFile() ? await stat(join(entry.parentPath, entry.name)).catch(() => undefined) : undefined;
    return found?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
