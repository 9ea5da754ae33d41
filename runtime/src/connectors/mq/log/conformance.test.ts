import { describe } from 'vitest';
import { eventSourceConformance } from '../../intake/testing/conformance.ts';
import { deadLetterConformance } from '../../intake/testing/dead-letters.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { kafkaUrl } from './testing/broker.ts';
import { grounds } from './testing/consuming.ts';
import { deadLetterBed } from './testing/dead-letter-bed.ts';
import { LogBed } from './testing/source-bed.ts';
import { targetBed } from './testing/target-bed.ts';

for (const [name, start] of grounds)
  describe.skipIf(name === 'Kafka' && kafkaUrl === undefined)(`on ${name}`, () => {
    eventSourceConformance('partitioned_log', () => LogBed.make(start));
    deadLetterConformance('partitioned_log', () => deadLetterBed(start));
    targetConformance('partitioned_log', () => targetBed(name));
  });
