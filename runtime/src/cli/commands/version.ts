import { productVersion } from '../../foundation/version.ts';
import type { Run } from '../command.ts';

export const run: Run = async ({ streams }) => {
  streams.out.write(`svc ${productVersion} (node ${process.version}, ${process.platform}/${process.arch})\n`);
  return 0;
};
