import pg from 'pg';

type Answer = (error: Error | null, result: pg.QueryResult) => void;

/** Query takes a callback, which its declared types do not have. */
const Query = pg.Query as unknown as new (text: string, values: unknown[] | undefined, answer: Answer) => pg.Query;

/** What pg keeps of a query, beside its declared types. */
interface Kept {
  name: string | undefined;
  readonly _result: { _types: pg.CustomTypesConfig | undefined };
}

/**
 * One statement with the callback for its answer. Made from a text: pg copies a configuration with the descriptors of its
 * properties for each statement, which is a good part of what a short one costs.
 */
export function queryOf({ name, text, values, types }: pg.QueryConfig, answer: Answer): pg.Query {
  const query = new Query(text, values, answer);
  const kept = query as unknown as Kept;
  kept.name = name;
  kept._result._types = types;
  return query;
}
