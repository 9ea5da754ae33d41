import type { Experiment } from './experiment.ts';
import type { Shown } from './flows.ts';
import { closing, httpServerAttributes, request, type ShowServer, statuses } from './http-server.ts';
import { serves } from './running.ts';

/** A field that answers at once, and one that takes longer. */
const flows = `type "thing" {
  id = id
}
flow "quick" {
  returns = "Int"
  from {
    connector = "api"
    operation = "Query.quick"
  }
  response {
    a = "1"
  }
}
flow "slow" {
  returns = "Int"
  from {
    connector = "api"
    operation = "Query.slow"
  }
  coordinate {
    timeout    = "400ms"
    on_timeout = "skip"
    wait {
      when = "true"
      for  = "'never'"
    }
  }
  response {
    a = "1"
  }
}
`;

const server: ShowServer = (lines, values, look) =>
  serves(
    `service {\n admin_port = 0\n}\nconnector "api" {\n type = "graphql"\n port = 0\n host = "127.0.0.1"\n ${lines}\n}\n${flows}`,
    values,
    look,
  );

const asked = (query: string, path = '/graphql') => {
  const body = JSON.stringify({ query });
  return (headers: readonly string[]) => request(`POST ${path}`, ['Content-Type: application/json', ...headers], body);
};

/** What the schema says of its fields, where one is a named operation with this line. */
const named = (line: string, values: Experiment['values']) =>
  serves(
    `service {
 admin_port = 0
}
connector "api" {
 type = "graphql"
 port = 0
 host = "127.0.0.1"
 operation "ask" {
  ${line}
 }
}
type "thing" {
 id = id
}
flow "other" {
 from {
  connector = "api"
  operation = "Query.other"
 }
 response {
  a = "1"
 }
}
flow "asked" {
 from {
  connector = "api"
  operation = "ask"
 }
 response {
  a = "1"
 }
}`,
    values,
    async ({ api }) => {
      const query = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }';
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`http://127.0.0.1:${api}/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query }),
      });
      return answer.json();
    },
  );

/** What a service answers about itself, with these lines in its server. */
export const publishes = (text: string, values: Experiment['values'], lines = ''): Experiment =>
  serves(
    `service {\n admin_port = 0\n}\nconnector "api" {\n type = "graphql"\n port = 0\n host = "127.0.0.1"\n ${lines}\n}\n${text}`,
    values,
    async ({ api }) => {
      const query =
        '{ _service { sdl } __type(name: "Query") { fields { name } } __schema { types { name possibleTypes { name } } } }';
      const answer = await fetch(`http://127.0.0.1:${api}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return answer.json();
    },
  );

const keyed = 'type "thing" {\n _key = "id"\n id = id\n}\n';

/** Attributes of a GraphQL server of which a run shows two values. */
export const graphqlServer: Shown = {
  ...httpServerAttributes(server, {
    path: '/graphql',
    quick: asked('{ quick }'),
    slow: asked('{ slow }'),
    body: asked(`{ quick } # ${'x'.repeat(100)}`),
  }),
  'operation.operation_type': named('field = "ask"\n operation_type = §', ['"Query"', '"Mutation"']),
  'operation.field': named('field = §', ['"one"', '"two"']),
  'federation.enabled': publishes(keyed, ['true', 'false'], 'federation {\n enabled = §\n }'),
  'federation.version': publishes(keyed, ['1', '2'], 'federation {\n version = §\n }'),
  endpoint: server('endpoint = §', ['"/graphql"', '"/api/query"'], ({ api }) =>
    statuses(api, asked('{ quick }', '/api/query')([closing])),
  ),
};
