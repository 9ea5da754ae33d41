import { targetConformance } from '../../testing/target-conformance.ts';
import { sqliteBed } from '../testing/target-beds.ts';

targetConformance('database/sqlite', sqliteBed);
