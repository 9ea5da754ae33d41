import { describe } from 'vitest';
import { targetConformance } from '../../testing/target-conformance.ts';
import { postgresUrl } from '../testing/postgres.ts';
import { postgresBed } from '../testing/target-beds.ts';

describe.skipIf(postgresUrl === undefined)('database/postgres', () => {
  targetConformance('database/postgres', postgresBed);
});
