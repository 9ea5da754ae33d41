import type { Driver } from '../server/driver.ts';
import type { StatementError } from '../server/failure.ts';
import type { Bound } from '../statement/bound.ts';
import { NoneFree } from './pool.ts';
import { anotherKey } from './upsert.ts';

/** An error that the server sent; those of the network and of the driver have no state. */
interface ServerError extends Error {
  readonly errno: number;
  readonly sqlState: string;
}

/** Error numbers of the server (MySQL, Server Error Message Reference; MariaDB, Error Codes), by what they mean. */
const meanings: Readonly<Partial<Record<StatementError, readonly number[]>>> = {
  constraint: [1048, 1062, 1169, 1216, 1217, 1364, 1451, 1452, 1557, 1586, 1761, 1762, 3819, 4025],
  value: [1264, 1265, 1292, 1366, 1367, 1406, 1411, 1416, 3140, 3156],
  passing: [1020, 1021, 1114, 1203, 1206, 1213, 1615, 1637],
  locked: [1205, 3572],
  stopped: [1317, 1969, 3024],
  lost: [1053, 1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 4031],
  'no table': [1146],
};
const byNumber: ReadonlyMap<number, StatementError> = new Map(
  Object.entries(meanings).flatMap(([meaning, numbers]) =>
    numbers.map((number) => [number, meaning as StatementError] as const),
  ),
);

/** Credentials. */
const denied: readonly number[] = [1044, 1045, 1698, 1862];
/** A table or column is not what it was. */
const changed: readonly number[] = [1051, 1054, 1091, 1136, 1146, 1364];
const deadlock = 1213;
/** Undoes the whole transaction too, where the server has `innodb_rollback_on_timeout`. */
const lockTimeout = 1205;
const unknownDatabase = 1049;

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'sqlState' in error && typeof error.sqlState === 'string' && 'errno' in error;
}

function meaningOf(error: unknown, bound?: Bound): StatementError {
  if (foundAnother(error, bound)) return 'constraint';
  return isServerError(error) ? (byNumber.get(error.errno) ?? 'refused') : 'lost';
}

/** Whether an upsert found a row by another key than the one that is meant. */
function foundAnother(error: unknown, bound: Bound | undefined): boolean {
  return bound?.conflict !== undefined && isServerError(error) && error.errno === anotherKey;
}

/** Whether the connection can be used after this error of a statement. */
export function leavesUsable(error: unknown): boolean {
  return meaningOf(error) !== 'lost' && !(error instanceof Error && 'fatal' in error && error.fatal === true);
}

/** The errors of mysql2. */
export const mysqlErrors: Driver<unknown, never, never>['errors'] = {
  connecting: (error) => {
    if (error instanceof NoneFree) return 'busy';
    if (!isServerError(error)) return undefined;
    if (denied.includes(error.errno)) return 'credentials';
    return error.errno === unknownDatabase ? 'no database' : 'refused';
  },
  statement: meaningOf,
  detail: (error, bound) =>
    foundAnother(error, bound) ? 'a row with other values in `conflict` has a unique value of this one' : undefined,
  suspects,
  tableChanged: (error) => isServerError(error) && changed.includes(error.errno),
  undone: (error) => isServerError(error) && (error.errno === deadlock || error.errno === lockTimeout),
};

/** The columns that the message names, else all. */
function suspects(error: unknown, { columns = [] }: Bound): readonly string[] {
  // `for column 'name' at row 1`, and of MariaDB also `for column `shop`.`orders`.`name``.
  const message = error instanceof Error ? error.message : '';
  const named = /column (?:[`'][^`']*[`']\.)*[`']([^`']+)[`']/i.exec(message)?.[1];
  const found = columns.filter(({ name }) => named === undefined || name === named);
  return [...new Set(found.map(({ name }) => name))];
}
