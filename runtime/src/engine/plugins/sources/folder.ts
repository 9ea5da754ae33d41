import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { filesOf } from '../install/digest.ts';
import { PluginProblem } from '../install/problem.ts';
import type { FileWriter, OriginContext, PluginOrigin, Release } from './origin.ts';

/** A folder of this machine that is copied. What belongs to version control or to package managers is left out. */
export class FolderOrigin implements PluginOrigin {
  readonly #folder: string;

  constructor(path: string, { directory }: OriginContext) {
    this.#folder = resolve(directory, path);
  }

  async find(): Promise<Release> {
    const found = await stat(this.#folder).catch(() => undefined);
    if (!found?.isDirectory()) throw new PluginProblem(`There is no folder ${this.#folder}.`);
    return { version: undefined, commit: undefined };
  }

  async fetch(_release: Release, into: FileWriter): Promise<void> {
    const isLeftOut = (name: string) => name === '.git' || name === 'node_modules';
    for (const { path } of await filesOf(this.#folder, isLeftOut))
      await into.write(path, createReadStream(join(this.#folder, path)) as AsyncIterable<Buffer>);
  }
}
