import { block, connector } from '@svc/protocol/schema';
import { operation, targetOf, valuesDoc, words } from '../block.ts';
import { poolOf, replicas, type ServerDefaults, serverAttributes, serverRules, urlOf } from '../server/spec.ts';
import { formOf } from '../server/spoken.ts';
import { postgresDialect } from './dialect.ts';

export const postgresDefaults: ServerDefaults = { port: 5432, maxLifetime: 0 };

/** `type = "database"`, `driver = "postgres"`. */
export const postgres = connector({
  type: 'database',
  driver: 'postgres',
  speaks: formOf(5432),
  kind: 'db',
  driverAliases: ['postgresql'],
  config: block({
    doc: `A PostgreSQL database. ${valuesDoc}`,
    attributes: {
      url: urlOf(['postgres', 'postgresql'], 'postgres://app:secret@db.internal:5432/shop?sslmode=verify-full'),
      ...serverAttributes(postgresDefaults),
    },
    blocks: { pool: poolOf(postgresDefaults), replicas },
    rules: [...serverRules],
  }),
  operation,
  target: targetOf(postgresDialect),
  words,
});
