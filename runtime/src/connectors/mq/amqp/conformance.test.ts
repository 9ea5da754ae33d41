import { describe } from 'vitest';
import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { deadLetterConformance } from '../../intake/testing/dead-letters.ts';
import { publisherConformance } from '../../testing/publisher-conformance.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { queueBed } from '../testing/bed.ts';
import { brokerUrl } from '../testing/broker.ts';
import { deadLetterBed } from '../testing/dead-letter-bed.ts';
import { publisherBed, publishingBed, requestingBed } from '../testing/publishing-bed.ts';

describe.skipIf(brokerUrl === undefined)('amqp_broker', () => {
  eventSourceConformance('amqp_broker', queueBed);
  deadLetterConformance('amqp_broker', deadLetterBed);
  publisherConformance('amqp_broker', publisherBed);
  targetConformance('amqp_broker, what is published', publishingBed);
  targetConformance('amqp_broker, what is asked', requestingBed);
});
