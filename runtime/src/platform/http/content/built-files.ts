import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { HttpExchange } from '../../../foundation/contracts/http.ts';
import { builtFolder } from '../../threads/program.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Where esbuild puts the files of pages; undefined: this runs from the source, and they are made of their packages.
 */
const built = builtFolder(import.meta.url);

/** Files of a page that are built into a folder beside the program, compressed, and that packages have where it is built. */
export class BuiltFiles {
  readonly #folder: string;
  readonly #source: (name: string) => Promise<string | Uint8Array>;

  constructor(folder: string, source: (name: string) => Promise<string | Uint8Array>) {
    this.#folder = folder;
    this.#source = source;
  }

  /** Answers with a file, compressed where the caller takes that. It is read whenever it is asked for, and not kept in memory. */
  send(exchange: HttpExchange, name: string, type: string, headers: readonly string[]): void {
    const isCompressed = takesGzip(exchange.request.headers['accept-encoding']);
    const encoding = isCompressed ? ['content-encoding', 'gzip'] : [];
    this.#read(name, isCompressed).then(
      (bytes) => exchange.send(200, type, bytes, [...headers, 'vary', 'Accept-Encoding', ...encoding]),
      (error: unknown) => exchange.refuse(error),
    );
  }

  async #read(name: string, isCompressed: boolean): Promise<Buffer> {
    const compressed =
      built === undefined
        ? await compress(await this.#source(name))
        : await readFile(new URL(`${this.#folder}/${name}.gz`, built));
    return isCompressed ? compressed : decompress(compressed);
  }
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(accepted ?? ''));
}
