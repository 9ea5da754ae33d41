import { lstat, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  iconProblem,
  largestIcon,
  readConfiguration,
  readDotenv,
  readManifests,
  withDotenv,
} from '@svc/runtime/configuration';
import type { FileText } from '../../shared/services.ts';
import type { HostServices } from '../host.ts';
import { confined, confinedEntry } from './confined.ts';
import type { Projects } from './projects.ts';
import { searchFiles } from './search.ts';
import { InTurn, isMissing, replaceFile } from './stored.ts';
import { largestFile, readText, versionOf } from './texts.ts';
import { listTree } from './tree.ts';

type FileServices = Pick<HostServices, Extract<keyof HostServices, `files.${string}`>>;

export interface FileOptions {
  readonly projects: Projects;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Receives what this window wrote, so that it is not reported as a change. */
  readonly wrote: (path: string, version: string) => void;
}

/** Files of the open folder. Nothing outside of it is read or written. */
export function fileServices({ projects, environment, wrote }: FileOptions): FileServices {
  const turns = new InTurn();
  const root = () => projects.required.directory;
  const place = (path: string) => confined(root(), path);
  /** The file, folder or link itself, not what a link leads to. */
  const entry = (path: string) => confinedEntry(root(), path);
  const create = async (path: string, text: string): Promise<FileText> => {
    const absolute = await place(path);
    const version = checkedVersion(path, text);
    await mkdir(dirname(absolute), { recursive: true });
    wrote(path, version);
    await writeFile(absolute, text, { flag: 'wx' }).catch((error: unknown) => {
      throw isTaken(error) ? new Error(`${path} exists already`) : error;
    });
    return { path, text, version };
  };
  const write = async (path: string, text: string, expected: string | undefined) => {
    const absolute = await place(path);
    const version = checkedVersion(path, text);
    const known = await stat(absolute).catch(ifMissing);
    if (expected !== undefined) {
      const there = known === undefined ? undefined : await readText(absolute, path);
      const conflict = there ?? { path, text: '', version: '' };
      if (conflict.version !== expected) return { version: conflict.version, conflict };
    }
    if (known !== undefined && !known.isFile()) throw new Error(`${path} is not a file`);
    await mkdir(dirname(absolute), { recursive: true });
    wrote(path, version);
    await replaceFile(absolute, text, known === undefined ? 0o644 : known.mode & 0o777);
    return { version };
  };
  return {
    'files.list': async () => listTree(root()),
    'files.read': async ({ path }) => readText(await place(path), path),
    'files.icon': async ({ path }) => {
      const { text } = await readText(await place(path), path, largestIcon);
      const problem = iconProblem(text);
      if (problem !== undefined) throw new Error(`${path} is not an icon: ${problem}`);
      return { svg: text };
    },
    'files.configuration': async () => {
      const options = { tests: true, confined: true };
      const files = await Promise.all([readConfiguration(root(), options), readManifests(root(), options)]);
      return { files: files.flat().map(({ path, text }) => ({ path, text, version: versionOf(text) })) };
    },
    'files.environment': async () => {
      const directory = root();
      const isFile = await place('.env')
        .then(stat)
        .then((found) => found.isFile())
        .catch(() => false);
      const dotenv = isFile ? await readDotenv(directory, directory, environment) : undefined;
      const variables = withDotenv(environment, dotenv);
      const written = (await readConfiguration(directory, { tests: true, confined: true })).flatMap(({ text }) =>
        environmentNames(text),
      );
      const values = [...new Set(written)].flatMap((name) => {
        const value = variables[name];
        return value === undefined ? [] : [[name, value] as const];
      });
      return { values: Object.fromEntries(values) };
    },
    'files.write': ({ path, text, expected }) => turns.run(() => write(path, text, expected)),
    'files.create': ({ path, text }) => turns.run(() => create(path, text)),
    'files.createFolder': ({ path }) =>
      turns.run(async () => {
        await mkdir(await place(path), { recursive: true });
        return {};
      }),
    'files.rename': ({ from, to }) =>
      turns.run(async () => {
        const [source, target] = [await entry(from), await entry(to)];
        const [own, taken] = [await lstat(source), await lstat(target).catch(ifMissing)];
        // Where case does not distinguish names, another spelling of the name leads to the same file.
        const isSame = taken?.ino === own.ino && taken.dev === own.dev && source.toLowerCase() === target.toLowerCase();
        if (taken !== undefined && !isSame) throw new Error(`${to} exists already`);
        await mkdir(dirname(target), { recursive: true });
        await rename(source, target);
        return {};
      }),
    'files.delete': ({ path }) =>
      turns.run(async () => {
        await rm(await entry(path), { recursive: true });
        return {};
      }),
    'files.search': async (wanted) => searchFiles(root(), wanted),
  };
}

/** The variables that a configuration names with `env("NAME")`. */
function environmentNames(text: string): readonly string[] {
  return [...text.matchAll(/\benv\(\s*\\?["']([^"'\\]+)\\?["']/g)].map(([, name]) => name as string);
}

function ifMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function checkedVersion(path: string, text: string): string {
  if (Buffer.byteLength(text) > largestFile) throw new Error(`${path} would be larger than 5 MiB`);
  return versionOf(text);
}
