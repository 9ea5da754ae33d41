import { mountConformance } from '../../platform/http/testing/mount-conformance.ts';
import { eventSourceConformance } from '../intake/testing/conformance.ts';
import { targetConformance } from '../testing/target-conformance.ts';
import { mountBed } from './testing/mount-bed.ts';
import { sourceBed } from './testing/source-bed.ts';
import { targetBed } from './testing/target-bed.ts';

targetConformance('sse', targetBed);
mountConformance('sse', mountBed);
eventSourceConformance('sse', sourceBed);
