import type { FileCheck } from '../../../foundation/contracts/published.ts';
import { checkSchemaFile } from '../schema/file-check.ts';

/** What the files that the block of a server names say. */
export const checkFiles: FileCheck = checkSchemaFile;
