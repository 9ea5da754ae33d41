import { describe } from 'vitest';
import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { deadLetterConformance } from '../../intake/testing/dead-letters.ts';
import { publisherConformance } from '../../testing/publisher-conformance.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { NatsBed, natsUrl } from './testing/bed.ts';
import { deadLetterBed } from './testing/dead-letter-bed.ts';
import { publisherBed, requestBed } from './testing/target-bed.ts';

describe.skipIf(natsUrl === undefined)('nats', () => {
  eventSourceConformance('nats of a stream', () => NatsBed.ofStream());
  eventSourceConformance('nats of subjects', () => NatsBed.ofSubjects());
  deadLetterConformance('nats', deadLetterBed);
  targetConformance('nats', requestBed);
  publisherConformance('nats', publisherBed);
});
