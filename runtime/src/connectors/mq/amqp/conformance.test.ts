import { describe } from 'vitest';
import { eventSourceConformance } from '../../../intake/testing/conformance.ts';
import { queueBed } from '../testing/bed.ts';
import { brokerUrl } from '../testing/broker.ts';

describe.skipIf(brokerUrl === undefined)('amqp_broker', () => {
  eventSourceConformance('amqp_broker', queueBed);
});
