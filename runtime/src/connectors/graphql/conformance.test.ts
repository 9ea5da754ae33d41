import { rmSync } from 'node:fs';
import { configured } from '../../../../test/support/configured.ts';
import { folderWith } from '../../../../test/support/folder.ts';
import type { HttpMount } from '../../foundation/contracts/http.ts';
import type { FailureCode } from '../../foundation/errors/failures.ts';
import { mountConformance, password } from '../../platform/http/testing/mount-conformance.ts';
import { binding, reply } from '../../platform/http/testing/served.ts';
import {
  requestServerConformance,
  type ServedAnswer,
} from '../../service/running/testing/request-server-conformance.ts';
import { answerOf, credentialsOf } from '../../service/running/testing/served-answer.ts';
import { create } from './server/connector.ts';
import { graphqlServer } from './server/spec.ts';

mountConformance('graphql', async () => {
  const auth = { type: 'basic', users: { ada: password } };
  const directory = folderWith({ 'schema.graphql': 'type Query { hello: String }' });
  const written = { host: '127.0.0.1', port: 0, auth, schema: { path: 'schema.graphql' } };
  return {
    mount: async (services) => {
      const values = configured(graphqlServer.config, written);
      const connector = create('api', values, { ...services, directory });
      const bound = connector.source?.bind([binding('Query.hello', () => reply('world'))]);
      await connector.open(new AbortController().signal);
      await bound?.prepare();
      return bound?.http as HttpMount;
    },
    requests: [
      { method: 'GET', path: '/graphql?query=%7Bhello%7D', route: '/graphql', status: 200 },
      // Without a Content-Type nothing is read.
      { method: 'POST', path: '/graphql', route: '/graphql', status: 415 },
    ],
    body: { method: 'POST', path: '/graphql', largest: 1_048_576 },
    close: async () => rmSync(directory, { recursive: true, force: true }),
  };
});

/** The value of the one field, or why it is absent. */
function fieldOf(body: unknown, text: string): ServedAnswer {
  const { data, errors } = body as {
    readonly data?: Readonly<Record<string, unknown>>;
    readonly errors?: readonly { readonly extensions?: { readonly code?: FailureCode } }[];
  };
  const [error] = errors ?? [];
  return error === undefined
    ? { value: Object.values(data ?? {})[0] }
    : { refused: { code: error.extensions?.code, text } };
}

requestServerConformance('graphql', {
  connector: 'type = "graphql"',
  operation: (name) => `Query.${name}`,
  flow: 'returns = "JSON"',
  largest: 1000,
  ask: async (port, name, { fields = {}, caller } = {}) =>
    answerOf(
      await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...credentialsOf(caller) },
        body: JSON.stringify({ query: `query($input: JSON) { ${name}(input: $input) }`, variables: { input: fields } }),
      }),
      fieldOf,
    ),
});
