import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { pageFiles, pageParts } from './files.ts';

/** Where esbuild puts the files; undefined: this runs from the source, and they are made of the package. */
const built = import.meta.url.endsWith('.ts')
  ? undefined
  : new URL('playground/', new URL(/\/parts\/[^/]*$/.test(import.meta.url) ? '..' : '.', import.meta.url));

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** A file of the page, compressed or not. Read whenever it is asked for: it is not kept in memory. */
export async function pageFile(name: string, isCompressed: boolean): Promise<Buffer> {
  const compressed = built === undefined ? await ofPackage(name) : await readFile(new URL(`${name}.gz`, built));
  return isCompressed ? compressed : decompress(compressed);
}

async function ofPackage(name: string): Promise<Buffer> {
  const file = pageFiles[name];
  return compress(file === undefined ? '' : (await pageParts())[file.from]);
}
