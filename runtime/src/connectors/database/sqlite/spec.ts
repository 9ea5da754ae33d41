import { block, connector, duration, int, text } from '@svc/protocol/schema';
import { everyConnector } from '../../core/spec.ts';
import { operation, tables, targetOf, valuesDoc, words } from '../block.ts';
import { sqliteDialect } from './dialect.ts';

/** `type = "database"`, `driver = "sqlite"`. */
export const sqlite = connector({
  type: 'database',
  driver: 'sqlite',
  kind: 'db',
  driverAliases: ['sqlite3'],
  defaultDriver: false,
  config: block({
    doc: `An SQLite database in a file of its own, inside the service. It is opened with write-ahead logging, enforced foreign keys, and a statement waits five seconds for a writer in another process, while everything else continues. ${valuesDoc}`,
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
      readers: int(
        'Most processes that read the file for this service beside it, so that a statement that takes long stops nothing else. They are started when a statement first needs one, and end after a minute without work. 0 runs every statement inside the service, where it cannot be interrupted. Not for `:memory:`, which only the service has.',
        { default: 2, min: 0, max: 16 },
      ),
      statement_timeout: duration(
        'Longest time of one statement, for those whose operation has no `timeout`: of reading by a process of `readers`, which is then ended, and of waiting for a lock. What runs inside the service ends by itself. 0 is for ever.',
        { default: 30_000, min: 0 },
      ),
      tables,
      ...everyConnector.attributes,
    },
  }),
  operation,
  target: targetOf(sqliteDialect),
  words,
});
