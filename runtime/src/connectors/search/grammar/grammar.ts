import type { Action } from '../actions.ts';
import { aggregation } from './aggregations.ts';
import { hits, innerHits } from './hits.ts';
import { rules } from './intervals.ts';
import { type Part, type Place, query, script } from './place.ts';
import { clauses } from './queries.ts';
import { retrievers } from './retrievers.ts';
import { search } from './search.ts';
import { nestedSort, sort } from './sort.ts';

const wouldBe = 'a part of the query';

const parts: Readonly<Record<Part, Place>> = {
  query: { keys: clauses, wouldBe },
  intervals: { keys: rules, wouldBe },
  hits,
  innerHits,
  sort,
  nestedSort,
  aggregations: { rest: aggregation, wouldBe },
  retriever: { keys: retrievers, wouldBe },
  tree: { value: true, rest: { like: 'tree' } },
};

const bodies: Readonly<Partial<Record<Action, Place>>> = {
  search,
  hits: search,
  aggregate: search,
  count: { keys: { query } },
  delete_by_query: { keys: { query } },
  update_by_query: { keys: { query, script } },
};

/** What the body of an action is, where it is written in the query language. */
export function bodyPlace(action: Action): Place {
  return bodies[action] ?? {};
}

/** What the body of an action has; undefined where it may have more. */
export function bodyKeys(action: Action): readonly string[] | undefined {
  return bodies[action] === search ? undefined : Object.keys(bodyPlace(action).keys ?? {});
}

/** A place with what it takes over from a part of the language. */
export function known(place: Place): Place {
  if (place.like === undefined) return place;
  const part = known(parts[place.like]);
  return { ...part, ...place, keys: { ...part.keys, ...place.keys }, like: undefined };
}

/** The place below a key. What is not known below code is code, and so on. */
export function below(place: Place, key: string): Place {
  const { keys, rest, wouldBe: would } = known(place);
  return (keys !== undefined && Object.hasOwn(keys, key) ? keys[key] : rest) ?? { wouldBe: would };
}
