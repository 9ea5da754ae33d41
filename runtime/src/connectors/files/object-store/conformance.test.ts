import { describe, test } from 'vitest';
import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { filesConformance } from '../testing/files-conformance.ts';
import { watchBedOf } from '../testing/watch-bed.ts';
import { objectBed, objectTargetBed } from './testing/bed.ts';
import { objectConformance } from './testing/conformance/conformance.ts';
import { servers } from './testing/server.ts';
import { watchedBucket } from './testing/watched-bucket.ts';

describe.each(servers)('a bucket of %s', (_, server) => {
  // What a suite is made of is asked of its server.
  if (server === undefined) {
    test.skip('that no variable names', () => undefined);
    return;
  }
  targetConformance('object_store', () => objectTargetBed(server));
  filesConformance('object_store', () => objectBed(server));
  objectConformance(server);
});

// Looks are lists, which the stand-in answers fast enough for many of them.
eventSourceConformance('object_store, an inbox', () => watchBedOf(watchedBucket(), 'inbox'));
eventSourceConformance('object_store, changes', () => watchBedOf(watchedBucket(), 'changes'));
