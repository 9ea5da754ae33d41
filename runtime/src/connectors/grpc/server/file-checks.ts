import type { FileCheck } from '../../../foundation/contracts/published.ts';
import { checkProtoFiles } from '../schema/check-files.ts';

export const checkFiles: FileCheck = checkProtoFiles;
