import type { FileCheck } from '../../../foundation/contracts/published.ts';
import { checkClientFiles } from '../schema/check-files.ts';

export const checkFiles: FileCheck = checkClientFiles;
