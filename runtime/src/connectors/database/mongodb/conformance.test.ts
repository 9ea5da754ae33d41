import { eventSourceConformance } from '../../../intake/testing/conformance.ts';
import { targetConformance } from '../../testing/target-conformance.ts';
import { ChangeBed } from './testing/source-bed.ts';
import { targetBed } from './testing/target-bed.ts';

targetConformance('database/mongodb', targetBed);
eventSourceConformance('database/mongodb', () => ChangeBed.make());
