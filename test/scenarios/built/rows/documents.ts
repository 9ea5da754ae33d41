import { testServer } from '../../../../runtime/src/connectors/database/mongodb/testing/server.ts';
import { SearchServer } from '../../../../runtime/src/connectors/search/testing/server.ts';
import { handing, type Row, sending, taking } from '../row.ts';

export const documents: readonly Row[] = [
  {
    name: 'mongodb',
    connector: 'database/mongodb',
    start: async (name) => {
      const server = await testServer();
      const match = JSON.stringify([{ $match: { text: ':text' } }]);
      const read = `target = "texts"\nquery = ${JSON.stringify(match)}\nparams = { text = "input.text" }`;
      return {
        block: {
          uri: `mongodb://${server.credentials}${server.host}:${server.port}/`,
          database: server.name,
          direct: true,
          collections: ['texts', 'said'],
          changes: {},
        },
        hcl:
          sending(
            name,
            'target = "texts"\noperation = "INSERT"\nbody = { text = "input.text" }',
            'step.read.text',
            read,
          ) + taking(name, 'operation = "said"', 'input.document.text'),
        takes: async (text, place) => {
          await server.database.collection('said').insertOne({ text });
          return place.reported(name, text);
        },
        close: () => server.stop(),
      };
    },
  },
  {
    name: 'search',
    connector: 'search',
    start: async (name) => {
      const server = await SearchServer.start();
      return {
        block: { url: server.url, index: 'texts', refresh: 'immediate' },
        hcl: handing(name, 'operation = "index"'),
        sends: async (text, place) => {
          await place.call(name, text);
          const kept = [...server.index('texts').documents.values()];
          return kept.find(({ source }) => source['text'] === text)?.source['text'];
        },
        close: () => server.close(),
      };
    },
  },
];
