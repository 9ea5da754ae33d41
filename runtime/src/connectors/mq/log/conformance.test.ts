import { eventSourceConformance } from '../../../intake/testing/conformance.ts';
import { deadLetterConformance } from '../../../intake/testing/dead-letters.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { deadLetterBed } from './testing/dead-letter-bed.ts';
import { LogBed } from './testing/source-bed.ts';
import { targetBed } from './testing/target-bed.ts';

eventSourceConformance('partitioned_log', () => LogBed.make());
deadLetterConformance('partitioned_log', deadLetterBed);
targetConformance('partitioned_log', targetBed);
