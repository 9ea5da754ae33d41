import { describe } from 'vitest';
import { postgresUrl } from '../connectors/database/testing/postgres.ts';
import { postgresBed, sqliteBed } from './testing/beds.ts';
import { storeConformance } from './testing/store-conformance.ts';

storeConformance('sqlite', sqliteBed);
describe.skipIf(postgresUrl === undefined)('with a server', () => storeConformance('postgres', postgresBed));
