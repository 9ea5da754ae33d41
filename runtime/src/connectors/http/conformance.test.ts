import { targetConformance } from '../testing/target-conformance.ts';
import { httpBed } from './testing/bed.ts';

targetConformance('http', httpBed);
