import { targetConformance } from '../testing/target-conformance.ts';
import { targetBed } from './testing/target-bed.ts';

targetConformance('oauth', targetBed);
