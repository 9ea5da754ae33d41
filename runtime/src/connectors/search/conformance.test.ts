import { targetConformance } from '../testing/target-conformance.ts';
import { searchBed } from './testing/bed.ts';

targetConformance('search', searchBed);
