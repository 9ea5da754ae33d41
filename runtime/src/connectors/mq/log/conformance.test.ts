import { eventSourceConformance } from '../../../intake/testing/conformance.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { LogBed } from './testing/source-bed.ts';
import { targetBed } from './testing/target-bed.ts';

eventSourceConformance('partitioned_log', () => LogBed.make());
targetConformance('partitioned_log', targetBed);
