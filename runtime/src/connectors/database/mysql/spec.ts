import { block, connector, oneOf } from '@svc/protocol/schema';
import { operation, targetOf, valuesDoc, words } from '../block.ts';
import { poolOf, replicas, type ServerDefaults, serverAttributes, serverRules, urlOf } from '../server/spec.ts';
import { formOf } from '../server/spoken.ts';
import { mysqlDialect } from './dialect.ts';

export const mysqlDefaults: ServerDefaults = { port: 3306, maxLifetime: 300_000 };

/** `type = "database"`, `driver = "mysql"`. */
export const mysql = connector({
  type: 'database',
  driver: 'mysql',
  speaks: formOf(3306),
  kind: 'db',
  driverAliases: ['mariadb'],
  config: block({
    doc: `A MySQL (8.0 or later) or MariaDB (10.6 or later) database. Sessions are in UTC and in strict mode; \`"\` quotes texts and a backslash escapes in them, whatever the server's \`sql_mode\` says. A statement that changes tables ends the transaction that it is part of, so it is refused inside \`transaction\`, and a migration that fails may have been done in part. TINYINT(1) is a number. ${valuesDoc}`,
    attributes: {
      url: urlOf(['mysql', 'mariadb'], 'mysql://app:secret@db.internal:3306/shop?sslmode=verify-full'),
      ...serverAttributes(mysqlDefaults),
      charset: oneOf(
        'The character set of the connection: what texts can hold on their way. A text that it cannot hold is refused, as a value with 400 and its field.',
        ['utf8mb4', 'latin1', 'ascii'],
        {
          default: 'utf8mb4',
        },
      ),
    },
    blocks: { pool: poolOf(mysqlDefaults), replicas },
    rules: [...serverRules],
  }),
  operation,
  target: targetOf(mysqlDialect),
  words,
});
