import { changedBy, type UpsertRules } from '../statement/upsert.ts';

/** What the server refuses with this error when it has to evaluate it, and only then. */
const failing = '(SELECT 1 UNION ALL SELECT 2)';
export const anotherKey = 1242;

/**
 * `ON DUPLICATE KEY UPDATE`, which changes a row that any unique key finds: the first assignment fails when it is not the
 * key that is meant.
 */
export const mysqlUpserts: UpsertRules = {
  clause: (upsert) => {
    const assignments = new Map(changedBy(upsert).map((column) => [column, `VALUES(${column.quoted})`]));
    const numbered = upsert.table.columns.find(({ isNumbered }) => isNumbered === true);
    // Else the server says the number of an earlier row, or none.
    if (numbered !== undefined)
      assignments.set(numbered, `LAST_INSERT_ID(${assignments.get(numbered) ?? numbered.quoted})`);
    const found = upsert.conflict.columns.map(({ quoted }) => `${quoted} <=> VALUES(${quoted})`).join(' AND ');
    // Assignments are made one after another: the first one sees the row as it was.
    const all = [...assignments].map(([{ quoted }, value], index) =>
      index === 0 ? `${quoted} = IF(${found}, ${value}, ${failing})` : `${quoted} = ${value}`,
    );
    return ` ON DUPLICATE KEY UPDATE ${all.join(', ')}`;
  },
  // A row that was changed counts as two.
  answer: ({ id }) => (id === undefined ? { affected: 1 } : { affected: 1, id }),
};
