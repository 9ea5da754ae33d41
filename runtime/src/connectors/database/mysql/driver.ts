import type { Driver } from '../server/driver.ts';
import { answerOf } from './answer.ts';
import { checkCharacters } from './charset.ts';
import { mysqlDialect } from './dialect.ts';
import { mysqlErrors } from './errors.ts';
import type { Link, LinkOptions, Result, Statement } from './link.ts';
import { MysqlNode } from './node.ts';
import { mysqlDefaults } from './spec.ts';
import { mysqlTables } from './tables.ts';

/** `charset`: that of the connections. */
export function mysqlDriver(charset: LinkOptions['charset']): Driver<Link, Statement, Result> {
  return {
    dialect: mysqlDialect,
    defaults: mysqlDefaults,
    tables: mysqlTables,
    errors: mysqlErrors,
    begin: 'START TRANSACTION',
    node: (options) => new MysqlNode({ ...options, charset }),
    prepare: async (primary, signal) => (await primary.acquire(signal)).release(),
    command: (text) => ({ text }),
    statement: (bound) => {
      checkCharacters(bound, charset);
      return { text: bound.text, values: bound.values };
    },
    answer: answerOf,
    committed: () => true,
    prepareAgain: () => false,
  };
}
