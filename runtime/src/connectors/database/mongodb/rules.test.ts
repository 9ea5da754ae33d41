import { describe, expect, test } from 'vitest';
import { problemOf, problemsOf } from '../../../checks/rules/testing/problems.ts';

const connectors = (operation = '') => `
connector "api" {
  type = "rest"
  port = 3000
}
connector "shop" {
  type     = "database"
  driver   = "mongodb"
  uri      = "mongodb://h"
  database = "shop"
${operation}
}`;

const flow = (trigger: string, words: string) => `
flow "f" {
  from {
    connector = "api"
    operation = "${trigger}"
  }
  to {
    connector = "shop"
    target    = "orders"
    ${words}
  }
}`;

const step = (words: string) => `
flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  step "s" {
    connector = "shop"
    target    = "orders"
    ${words}
  }
  response {
    s = "step.s"
  }
}`;

/** What is said of a call, without where. */
const said = (text: string) =>
  problemOf('malformed-call', `${connectors()}${text}`).message.replace(/^.*? of flow "f": /, '');
const refused = (text: string) =>
  problemsOf(`${connectors()}${text}`).filter((each) => !/^(?:info|warning)/.test(each));

describe('query_filter', () => {
  test.each([
    ['{ total = { "$gte" = "input.from", "$lt" = 10 } }'],
    ['{ "$or" = [{ state = "open" }, { total = { "$in" = "input.list" } }] }'],
    ['{ tags = { "$elemMatch" = { "$eq" = "input.tag" } }, name = { "$regex" = "^a", "$options" = "i" } }'],
    ['{ lines = { "$elemMatch" = { sku = "input.sku", count = { "$gt" = 1 } } } }'],
    ['{ "$expr" = { "$gt" = ["$a", "$b"] }, at = { "$not" = { "$exists" = true } } }'],
    ['{ place = { "$near" = { "$geometry" = { type = "Point", coordinates = [1, 2] } } } }'],
  ])('%s is taken', (filter) => {
    expect(refused(flow('GET /x', `query_filter = ${filter}`))).toEqual([]);
  });

  test.each([
    ['{ total = { "$gtee" = 1 } }', 'query_filter.total.$gtee is not an operator of filters; did you mean $gte?'],
    ['{ "$gte" = 1 }', 'query_filter.$gte needs a field: write { field = { "$gte" = … } }'],
    ['{ total = { "$gte" = 1, other = 2 } }', /has \$gte beside the field other/],
    ['{ "$or" = { a = 1 } }', 'query_filter.$or must be a list of filters that the configuration writes'],
    ['{ "$or" = ["input.filter"] }', 'query_filter.$or[0] must be a filter that the configuration writes'],
    ['{ state = { "$in" = "open" } }', 'query_filter.state.$in must be a list, not a text'],
    ['{ state = { "$size" = "two" } }', 'query_filter.state.$size must be a number, not a text'],
    ['{ state = { "$options" = "i" } }', 'query_filter.state.$options needs $regex'],
    ['{ state = { "$not" = 5 } }', /must be an object of operators/],
    ['{ "$where" = "true" }', /\$where, which runs code/],
    [
      '{ "$expr" = { "$summ" = ["$a"] } }',
      'query_filter.$expr.$summ is not an operator of expressions; did you mean $sum?',
    ],
  ])('%s is refused', (filter, problem) => {
    const message = said(flow('GET /x', `query_filter = ${filter}`));
    if (typeof problem === 'string') expect(message).toBe(problem);
    else expect(message).toMatch(problem);
  });

  test('the filter itself is not what a message gives', () => {
    expect(refused(flow('GET /x', 'query_filter = "input.filter"'))).toEqual([]);
    expect(said(flow('GET /x', 'query_filter = "text"'))).toBe(
      'query_filter must be an object of fields and conditions, not a text',
    );
  });

  test('that of a step is in its parameters, which a read alone has', () => {
    expect(said(step('params = { a = { "$gtt" = 1 } }'))).toBe(
      'params.a.$gtt is not an operator of filters; did you mean $gt?',
    );
    expect(refused(step('params = { a = { "$gt" = "input.n" } }'))).toEqual([]);
  });
});

test('a list of keys is refused where one document is changed, and taken where all are', () => {
  for (const operation of ['UPDATE', 'REPLACE', 'DELETE'])
    for (const key of ['_id', 'id'])
      expect(
        said(flow('DELETE /x', `operation = "${operation}"\n query_filter = { ${key} = ["input.a", "input.b"] }`)),
      ).toBe(`${key} is a list, which finds several documents, and ${operation.toLowerCase()} changes one of them`);
  for (const operation of ['DELETE_MANY', 'UPDATE_MANY', 'FIND'])
    expect(
      refused(flow('DELETE /x', `operation = "${operation}"\n query_filter = { _id = ["input.a", "input.b"] }`)),
    ).toEqual([]);
});

describe('update', () => {
  const put = (update: string) => flow('PUT /x/:id', `update = ${update}`);
  test.each([
    ['{ "$set" = { state = "input.state", "address.city" = "x" }, "$inc" = { n = 1 }, "$unset" = { old = "" } }'],
    ['{ "$push" = { lines = { "$each" = "input.lines", "$slice" = -5 } }, "$currentDate" = { at = true } }'],
    ['{ "$set" = "input.fields" }'],
  ])('%s is taken', (update) => expect(refused(put(update))).toEqual([]));

  test.each([
    ['{ state = 1 }', /update has "state", which is not an operator/],
    ['{ "$sett" = { a = 1 } }', 'update.$sett is not an operator of updates; did you mean $set?'],
    ['{ "$set" = 5 }', 'update.$set must be an object, not a number'],
    ['{ "$set" = {} }', 'update.$set names no field'],
    ['{ "$inc" = { n = "one" } }', 'update.$inc.n must be a number, not a text'],
    ['{ "$set" = { "$inc" = { n = 1 } } }', /operators are not written in each other/],
    ['{ "$set" = { a = 1 }, "$inc" = { a = 1 } }', 'update changes a twice'],
    ['{ "$set" = { "a.b" = 1 }, "$unset" = { a = "" } }', /one of which is inside the other/],
    ['{ "$push" = { l = { "$slice" = 3 } } }', 'update.$push.l needs $each'],
    ['{ "$addToSet" = { l = { "$each" = [1], "$slice" = 3 } } }', /\$slice is not an operator of \$addToSet/],
    ['{ "$pop" = { l = 2 } }', /must be 1 for the last element/],
    ['{ "$rename" = { a = "input.name" } }', /must be written in the configuration/],
  ])('%s is refused', (update, problem) => {
    const message = said(put(update));
    if (typeof problem === 'string') expect(message).toBe(problem);
    else expect(message).toMatch(problem);
  });
});

describe('pipelines', () => {
  const read = (pipeline: unknown) => flow('GET /x', `query = ${JSON.stringify(JSON.stringify(pipeline))}`);
  test.each([
    [
      [
        { $match: { a: { $gte: ':from' } } },
        { $group: { _id: '$c', total: { $sum: '$t' } } },
        { $sort: { total: -1 } },
      ],
    ],
    [[{ $lookup: { from: 'customers', let: { c: '$c' }, pipeline: [{ $match: { a: 1 } }], as: 'customer' } }]],
    [[{ $setWindowFields: { sortBy: { at: 1 }, output: { n: { $sum: '$t', window: { documents: [-1, 0] } } } } }]],
    [[{ $facet: { a: [{ $count: 'n' }], b: [{ $limit: 3 }] } }, { $unwind: '$a' }]],
    [[{ $project: { a: { $cond: [{ $eq: ['$x', ':x'] }, 1, { $literal: { $y: 1 } }] } } }]],
    [[{ $match: {} }, { $merge: { into: 'totals', on: '_id', whenMatched: 'replace' } }]],
    [[]],
  ])('%j is taken', (pipeline) => expect(refused(read(pipeline))).toEqual([]));

  test.each([
    [[{ $macth: {} }], 'query[0].$macth is not an operator of pipelines; did you mean $match?'],
    [[{ $match: {}, $limit: 1 }], 'query[0] must be a stage: an object with one operator, such as {"$match": {}}'],
    [[{ $match: ':filter' }], 'query[0].$match must be a filter that the pipeline writes'],
    [[{ $match: { a: { $gtt: 1 } } }], 'query[0].$match.a.$gtt is not an operator of filters; did you mean $gt?'],
    [[{ $group: { total: { $sum: '$t' } } }], 'query[0].$group needs _id'],
    [[{ $group: { _id: null, t: { $summ: '$t' } } }], /\$summ is not an operator of expressions/],
    [[{ $limit: 0 }], 'query[0].$limit must be a whole number of 1 or more'],
    [[{ $sort: { a: 'down' } }], 'query[0].$sort.a must be 1 or -1'],
    [[{ $unwind: 'lines' }], 'query[0].$unwind must name a field: "$lines"'],
    [[{ $out: 'a' }, { $match: {} }], 'query[0].$out must be the last stage'],
    [[{ $facet: { a: [{ $out: 'x' }] } }], /writes, which only the last stage/],
    [[{ $lookup: { from: ':from', as: 'x' } }], /query\[0\]\.\$lookup\.from names a collection/],
    [[{ $out: ':into' }], /names a collection and must be written/],
    [[{ $unionWith: { coll: ':c' } }], /names a collection and must be written/],
    [[{ $project: { a: { $add: [1, 2], b: 3 } } }], /has \$add beside b/],
  ])('S-50: %j is refused', (pipeline, problem) => {
    const message = said(read(pipeline));
    if (typeof problem === 'string') expect(message).toBe(problem);
    else expect(message).toMatch(problem);
  });

  test('what is not a pipeline is refused, also in a step', () => {
    expect(said(flow('GET /x', 'query = "SELECT 1"'))).toMatch(/^the query is not a JSON pipeline/);
    expect(said(step('query = "{}"'))).toMatch(/^the query must be a pipeline/);
  });
});

describe('named operations', () => {
  const operation = (words: string) =>
    connectors(`  operation "o" {\n    collection = "orders"\n    ${words.replaceAll('\n', '\n    ')}\n  }`);
  test('are checked where they are written, whether a flow uses them or not', () => {
    expect(problemsOf(operation('query = "[{\\"$macth\\": {}}]"'))).toContain(
      'malformed-call «"[{\\"$macth\\": {}}]"»',
    );
    expect(problemsOf(operation('query_filter = { a = { "$gtt" = 1 } }'))).toContain(
      'malformed-call «{ a = { "$gtt" = 1 } }»',
    );
    expect(problemsOf(operation('update = { a = 1 }'))).toContain('malformed-call «{ a = 1 }»');
    expect(problemsOf(operation('collection = "system.users"').replace('collection = "orders"\n    ', ''))).toContain(
      'malformed-target «"system.users"»',
    );
  });

  test('are reported once, and not again where flows use them', () => {
    const wrong = `${operation('action = "UPDATE"\nupdate = { a = 1 }')}${flow('PUT /x', 'operation = "o"').replace('    target    = "orders"\n', '')}`;
    expect(problemsOf(wrong).filter((each) => each.startsWith('malformed-call'))).toHaveLength(1);
  });

  test('of profiles are checked too', () => {
    const profiled = `
connector "both" {
  default = "a"
  profile "a" {
    type     = "database"
    driver   = "mongodb"
    uri      = "mongodb://h"
    database = "shop"
    operation "o" {
      collection = "orders"
      update     = { a = 1 }
    }
  }
  profile "b" {
    type     = "database"
    driver   = "sqlite"
    database = "b.db"
  }
}
flow "f" {
  from {
    connector = "api"
    operation = "GET /x"
  }
  step "s" {
    connector = "both"
    operation = "o"
  }
}`;
    const problems = problemsOf(`${connectors()}${profiled}`);
    expect(problems).toContain('malformed-call «{ a = 1 }»');
    expect(problems).toContain('warning unknown-operation «"o"»');
  });
});
