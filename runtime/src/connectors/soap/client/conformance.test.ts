import { targetConformance } from '../../testing/target-conformance.ts';
import { targetBed } from '../testing/bed.ts';

targetConformance('soap client', targetBed);
