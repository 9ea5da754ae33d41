import { eventSourceConformance } from '../intake/testing/conformance.ts';
import { targetConformance } from '../testing/target-conformance.ts';
import { sourceBed } from './testing/server-bed.ts';
import { targetBed } from './testing/target-bed.ts';

eventSourceConformance('tcp', sourceBed);
targetConformance('tcp', targetBed);
