import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The package of the page, which is there where the program is built and tested; the program has the files. */
export const pagePackage = 'swagger-ui-dist';

/** The folder beside the program that they are built into. */
export const pageFolder = 'description';

/** A file of the package. */
export function pagePart(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(`${pagePackage}/${name}`)));
}
