import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EditorClient } from '../test/editor/client.ts';

const launcher = join(import.meta.dirname, '../runtime/bin/svc.js');

const service = `connector "api" {
  type = "rest"
  port = 3000
  operation "create" {
    method = "POST"
    path   = "/orders"
  }
}
type "order" {
  customer = string
}
`;

const flow = `flow "create" {
  from {
    connector = "apy"
    operation = "create"
  }
  validate {
    input = "order"
  }
  response {
    customer = "lower(input.customer)"
  }
}
`;

test('an editor talks to the built program as it is installed', async () => {
  const client = await EditorClient.open({ 'service.hcl': service, 'flow.hcl': flow }, [], launcher);
  expect(client.result.serverInfo?.name).toBe('svc');
  expect(client.result.capabilities).toMatchObject({ completionProvider: {}, inlayHintProvider: true });

  await client.show('flow.hcl', flow);
  const { diagnostics } = await client.problems('flow.hcl', ['unknown-connector']);
  expect(diagnostics[0]?.message).toContain('there is no connector named "apy"');

  await client.type('flow.hcl', '"apy"', '"api"');
  await client.problems('flow.hcl', []);
  await client.type('flow.hcl', 'input.customer', 'input.');
  expect((await client.offered('flow.hcl', 'lower(input.')).map(({ label }) => label)).toContain('customer');
  await client.problems('flow.hcl', ['invalid-expression']);

  expect(await client.close()).toBe(0);
});
