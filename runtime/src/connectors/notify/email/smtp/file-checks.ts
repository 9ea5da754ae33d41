import type { FileCheck } from '../../../../contracts/published.ts';
import { checkTemplate } from '../template-check.ts';

export const checkFiles: FileCheck = checkTemplate;
