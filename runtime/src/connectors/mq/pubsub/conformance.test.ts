import { describe } from 'vitest';
import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { ChannelBed, publisherBed, redisUrl } from './testing/bed.ts';

describe.skipIf(redisUrl === undefined)('kv_pubsub', () => {
  eventSourceConformance('kv_pubsub', () => ChannelBed.make());
  targetConformance('kv_pubsub', publisherBed);
});
