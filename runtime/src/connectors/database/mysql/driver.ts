import type { Driver } from '../server/driver.ts';
import { severalRows } from '../statement/insert-form.ts';
import { answerOf } from './answer.ts';
import { checkCharacters } from './charset.ts';
import { mysqlDialect } from './dialect.ts';
import { mysqlErrors } from './errors.ts';
import type { Link, LinkOptions, Result, Statement } from './link.ts';
import { MysqlNode } from './node.ts';
import { checkSize } from './packet.ts';
import { mysqlDefaults } from './spec.ts';
import { mysqlTables } from './tables.ts';

/** Rows of one statement: with more of them, preparing it costs more than it saves. */
const mostRows = 250;

/** Bytes that a server takes at once until it has said how many it does: the least that is usual. */
const smallestPacket = 1024 * 1024;
/** Bytes of a statement for many rows; more save nothing. */
const largestStatement = 4 * 1024 * 1024;

/** `charset`: that of the connections. */
export function mysqlDriver(charset: LinkOptions['charset']): Driver<Link, Statement, Result> {
  let packet = smallestPacket;
  return {
    dialect: mysqlDialect,
    defaults: mysqlDefaults,
    tables: mysqlTables,
    errors: mysqlErrors,
    begin: 'START TRANSACTION',
    node: (options) => new MysqlNode({ ...options, charset }),
    prepare: async (primary, signal) => {
      const limit = await primary.query({ text: 'SELECT @@max_allowed_packet AS bytes' }, { signal });
      if ('rows' in limit) packet = Number(limit.rows[0]?.['bytes']);
    },
    command: (text) => ({ text }),
    statement: (bound) => {
      checkCharacters(bound, charset);
      checkSize(bound, packet);
      return { text: bound.text, values: bound.values };
    },
    takesRun: () => true,
    *several(run) {
      const { form } = run;
      const bytes = Math.min(packet / 2, largestStatement);
      const most = Math.max(1, Math.min(mostRows, Math.floor(mysqlDialect.maxParameters / form.columns.length)));
      for (const { text, values, rows, bytes: size } of severalRows(run, { most, bytes })) {
        const bound = { text, values, stable: true };
        checkCharacters(bound, charset);
        if (size > packet) checkSize(bound, packet);
        yield { statement: bound, rows };
      }
    },
    answer: answerOf,
    committed: () => true,
    prepareAgain: () => false,
  };
}
