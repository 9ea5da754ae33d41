import { describe } from 'vitest';
import { targetConformance } from '../../testing/target-conformance.ts';
import { filesConformance } from '../testing/files-conformance.ts';
import { objectBed, objectTargetBed } from './testing/bed.ts';
import { server } from './testing/server.ts';

describe.skipIf(server === undefined)('a bucket', () => {
  targetConformance('object_store', objectTargetBed);
  filesConformance('object_store', objectBed);
});
