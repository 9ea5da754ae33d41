import type { Driver } from '../server/driver.ts';
import { severalRows } from '../statement/insert-form.ts';
import { answerOf } from './answer.ts';
import { checkCharacters } from './charset.ts';
import { mysqlDialect } from './dialect.ts';
import { mysqlErrors } from './errors.ts';
import type { Link, LinkOptions, Result, Statement } from './link.ts';
import { MysqlNode } from './node.ts';
import { mysqlDefaults } from './spec.ts';
import { mysqlTables } from './tables.ts';

/** Rows of one statement: with more of them, preparing it costs more than it saves. */
const mostRows = 250;

/** Bytes of a statement: what every server takes, until it has said more, and what is more than enough. */
const smallestPacket = 1024 * 1024;
const largestStatement = 8 * 1024 * 1024;

/** `charset`: that of the connections. */
export function mysqlDriver(charset: LinkOptions['charset']): Driver<Link, Statement, Result> {
  let bytes = smallestPacket;
  return {
    dialect: mysqlDialect,
    defaults: mysqlDefaults,
    tables: mysqlTables,
    errors: mysqlErrors,
    begin: 'START TRANSACTION',
    node: (options) => new MysqlNode({ ...options, charset }),
    prepare: async (primary, signal) => {
      const limit = await primary.query({ text: 'SELECT @@max_allowed_packet' }, { signal });
      if ('rows' in limit) bytes = Math.min(Number(limit.rows[0]?.[0]), largestStatement);
    },
    command: (text) => ({ text }),
    statement: (bound) => {
      checkCharacters(bound, charset);
      return { text: bound.text, values: bound.values };
    },
    takesRun: () => true,
    *several(run) {
      const { form } = run;
      const most = Math.max(1, Math.min(mostRows, Math.floor(mysqlDialect.maxParameters / form.columns.length)));
      for (const { text, values, rows } of severalRows(run, { most, bytes: bytes / 2 })) {
        checkCharacters({ text, values, stable: true }, charset);
        yield { statement: { text, values }, rows };
      }
    },
    answer: answerOf,
    committed: () => true,
    prepareAgain: () => false,
  };
}
