import { block, connector, text } from '@svc/protocol/schema';
import { everyConnector } from '../../spec.ts';
import { operation, tables, target, valuesDoc } from '../block.ts';

/** `type = "database"`, `driver = "sqlite"`. */
export const sqlite = connector({
  type: 'database',
  driver: 'sqlite',
  kind: 'db',
  driverAliases: ['sqlite3'],
  defaultDriver: false,
  config: block({
    doc: `An SQLite database in a file of its own, inside the service. It is opened with write-ahead logging, enforced foreign keys, and a statement waits five seconds for a writer in another process, while everything else goes on. ${valuesDoc}`,
    attributes: {
      database: text(
        'The database file, relative to the configuration directory; it and its directories are made when they do not exist, the file for its owner alone (mode 0600). `:memory:` keeps the data in the process, where they end with it.',
        {
          required: true,
          namesFile: 'kept',
          pattern: { source: '\\S', says: 'names no file' },
          example: '"./data/app.db"',
        },
      ),
      tables,
      ...everyConnector.attributes,
    },
  }),
  operation,
  target,
});
