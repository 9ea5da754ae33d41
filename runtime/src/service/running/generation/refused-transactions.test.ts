import { loadProject } from '@svc/protocol/model';
import { expect, test } from 'vitest';
import { MongodbStandIn } from '../../../../../test/support/servers/mongodb/stand-in.ts';
import { vocabulary } from '../../../checks/vocabulary.ts';
import { openDatabase } from '../../../connectors/database/mongodb/testing/opened.ts';
import { refusedTransactions } from './refused-transactions.ts';

const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };
const text = `
connector "api" {
  type = "rest"
  port = 3000
}
connector "shop" {
  type     = "database"
  driver   = "mongodb"
  uri      = "mongodb://h"
  database = "shop"
}
flow "plain" {
  from {
    connector = "api"
    operation = "POST /plain"
  }
  to {
    connector = "shop"
    target    = "orders"
  }
}
`;
const sell = `flow "sell" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "shop"
    transaction {
      exec {
        query = "{\\"insert\\": \\"orders\\", \\"documents\\": [{\\"n\\": 1}]}"
      }
    }
  }
}
`;

test('a transaction is refused at start where the server has no transactions, and only for flows that have one', async () => {
  const project = (more: string) => {
    const loaded = loadProject([{ path: 'a.hcl', text: text + more }], { vocabulary, host, expressionFunctions: [] });
    expect(loaded.diagnostics).toEqual([]);
    return loaded;
  };
  const found = async (isReplicaSet: boolean, more: string) => {
    const server = await MongodbStandIn.start({ isReplicaSet });
    const at = { host: '127.0.0.1', port: server.port, credentials: '', name: 'shop' };
    const { connector } = await openDatabase(at);
    const problems = await refusedTransactions(project(more), new Map([['shop', connector]]));
    await connector.close();
    const closed = await refusedTransactions(project(more), new Map([['shop', connector]]));
    await server.stop();
    return [...problems].map(([name, { message }]) => [name, message]).concat([...closed.keys()].map((name) => [name]));
  };
  expect(await found(true, sell)).toEqual([]);
  expect(await found(false, '')).toEqual([]);
  expect(await found(false, sell)).toEqual([
    [
      'shop',
      'flow "sell": transaction: database "db" is neither in a replica set nor a router to one, and has no transactions',
    ],
  ]);
});
