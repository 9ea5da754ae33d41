import type { FileCheck } from '../../../contracts/published.ts';
import { checkProtoFiles } from '../schema/check-files.ts';

export const checkFiles: FileCheck = checkProtoFiles;
