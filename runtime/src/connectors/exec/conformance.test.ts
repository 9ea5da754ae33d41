import { describe } from 'vitest';
import { targetConformance } from '../testing/target-conformance.ts';
import { sshBed, sshUrl } from './testing/ssh-bed.ts';
import { localBed } from './testing/target-bed.ts';

targetConformance('exec', localBed);

describe.skipIf(sshUrl === undefined)('over ssh', () => {
  targetConformance('exec over ssh', sshBed);
});
