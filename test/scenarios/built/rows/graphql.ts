import { freePort } from '../../../support/free-port.ts';
import { answering, handing, type Row, sending, taking } from '../row.ts';

const [server, client] = ['graphql_server', 'graphql_client'];
const port = freePort();

const schema = `
type Text {
  text: String
}

type Query {
  echo(text: String!): Text
}

type Subscription {
  said: Text
}
`;

/** The client asks the server, and is subscribed to what the server sends. */
export const graphql: readonly Row[] = [
  {
    name: server,
    connector: 'graphql/server',
    start: async (name) => ({
      block: { host: '127.0.0.1', port: await port, schema: { path: 'texts.graphql' } },
      files: { 'texts.graphql': schema },
      hcl: handing(name, 'operation = "Subscription.said"') + answering(name, 'operation = "Query.echo"'),
      sends: async (text, place) => {
        await place.call(server, text);
        return place.reported(client, text);
      },
      takes: (text, place) => place.call(client, text),
    }),
  },
  {
    name: client,
    connector: 'graphql/client',
    asksAnother: true,
    start: async (name) => {
      const query =
        'operation = "query($text: String!) { echo(text: $text) { text } }"\nparams = { text = "input.text" }';
      return {
        block: { endpoint: `http://127.0.0.1:${await port}/graphql` },
        hcl:
          sending(name, query, 'step.sent.echo.text') +
          taking(name, 'operation = "subscription { said { text } }"', 'input.text'),
        takes: async (text, place) => {
          await place.call(server, text);
          return place.reported(client, text);
        },
      };
    },
  },
];
