import type { FileCheck } from '../../../../foundation/contracts/published.ts';
import { checkTemplate } from '../template-check.ts';

export const checkFiles: FileCheck = checkTemplate;
