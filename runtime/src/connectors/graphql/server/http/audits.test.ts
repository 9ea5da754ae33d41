import { expect, test } from 'vitest';
import { auditServer } from '../../../../../../test/support/graphql-audits.ts';
import { reply, servedGraphql } from '../testing/served.ts';

test('the audits of graphql-http: every one is passed', async () => {
  await using server = await servedGraphql('type Query { hello: String }', { 'Query.hello': () => reply('world') });
  const results = await auditServer({ url: `${server.url}/graphql` });
  const failed = results.filter(({ status }) => status !== 'ok');
  expect(failed.map((result) => [result.id, result.name, 'reason' in result ? result.reason : ''])).toEqual([]);
  expect(results).toHaveLength(61);
});
