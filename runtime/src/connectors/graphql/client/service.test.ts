import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../../../../test/support/free-port.ts';
import { GraphqlServer } from '../../../../../test/support/graphql-server.ts';
import { until } from '../../../../../test/support/until.ts';
import { inDirectory } from '../../../cli/testing/typed.ts';
import { compilePlan } from '../../../engine/plan/compile.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { HttpListener } from '../../../platform/http/sockets/listener.ts';
import { loadService } from '../../../service/running/load.ts';
import { createService } from '../../../service/running/service.ts';
import { memoryLog } from '../../../service/running/testing/fakes.ts';

const configuration = `
service {
  name       = "shop"
  admin_port = 0
  admin_host = "127.0.0.1"
}
connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = 0
}
connector "peer" {
  type   = "graphql"
  host   = "127.0.0.1"
  port   = env("OWN")
}
type "pong" {
  text = string
}
connector "own" {
  type     = "graphql"
  driver   = "client"
  endpoint = "http://127.0.0.1:\${env("OWN")}/graphql"
}
flow "own" {
  from {
    connector = "api"
    operation = "GET /own"
  }
  step "own" {
    connector = "own"
    operation = "Query.ping"
  }
  response {
    ping = "step.own.ping"
  }
}
connector "shop" {
  type     = "graphql"
  driver   = "client"
  endpoint = env("SHOP")
  auth {
    type  = "bearer"
    token = "kept-secret"
  }
  operation "order" {
    document = "query($id: ID!, $text: String) { order(id: $id) { id total } echo(text: $text) }"
    param "text" {
      default = "by default"
    }
  }
}
connector "away" {
  health = "optional"
  select = "'main'"
  default = "main"
  fallback = ["other"]
  profile "main" {
    type     = "graphql"
    driver   = "client"
    endpoint = "http://127.0.0.1:9/graphql"
  }
  profile "other" {
    type     = "graphql"
    driver   = "client"
    endpoint = env("SHOP")
  }
}
flow "read" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  step "shop" {
    connector = "shop"
    operation = "order"
    params    = { id = "input.id" }
  }
  response {
    total = "step.shop.order.total"
    echo  = "step.shop.echo"
  }
}
flow "list" {
  from {
    connector = "api"
    operation = "GET /orders"
  }
  to {
    connector = "away"
    operation = "query($most: Int) { orders(most: $most) { id } }"
  }
}
flow "write" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "shop"
    operation = "mutation($total: Float!) { add(total: $total) { id total } }"
  }
}
flow "fails" {
  from {
    connector = "api"
    operation = "GET /fails"
  }
  step "shop" {
    connector = "shop"
    operation = "{ fails(code: \\"FORBIDDEN\\") }"
  }
  error_handling {
    error_response {
      status = 502
      body = {
        code = "error.code"
        says = "error.message"
      }
    }
  }
}
flow "hear" {
  from {
    connector = "shop"
    operation = "subscription { event { text } }"
  }
  step "heard" {
    connector = "shop"
    operation = "query($text: String) { echo(text: $text) }"
    params    = { text = "'heard ' + input.text" }
  }
  response {
    echo = "step.heard.echo"
  }
}
flow "ping" {
  from {
    connector = "peer"
    operation = "Query.ping"
  }
  returns = "String"
  response {
    value = "'pong'"
  }
}
`;

test('a service asks, changes and hears a GraphQL server, over ten reloads with one subscription, and shows no secret', async () => {
  const server = await GraphqlServer.start();
  try {
    const own = String(await freePort());
    await inDirectory({ 'main.hcl': configuration }, async (directory) => {
      const { log, lines } = memoryLog();
      const service = createService({
        load: () =>
          loadService(
            directory,
            { environment: { SHOP: server.url, OWN: own }, workingDirectory: directory, workers: 1 },
            'development',
            (project, engine) => compilePlan(project, { engine }),
          ),
        createListener: (connectors, application) => new HttpListener(connectors, application),
        log,
        clock: systemClock,
        environment: 'development',
        production: false,
        directory,
        productVersion: '0.0.0',
      });
      try {
        const { addresses, admin } = await service.start();
        const at = `http://127.0.0.1:${addresses.get('api')?.port}`;
        const ask = async (path: string, init: RequestInit = {}) => (await fetch(at + path, init)).json();
        expect(await ask('/orders/5')).toEqual({ total: 9.5, echo: 'by default' });
        expect(await ask('/orders?most=1')).toEqual([{ id: '0' }]);
        const headers = { 'content-type': 'application/json' };
        expect(await ask('/orders', { method: 'POST', headers, body: '{"total": 3}' })).toEqual({
          id: 'new',
          total: 3,
        });
        expect(await ask('/own')).toEqual({ ping: 'pong' });
        expect(await ask('/fails')).toEqual({ code: 403, says: 'it failed' });
        const hears = async (text: string) => {
          await until(() => server.active.length === 1);
          server.publish('event', { text });
          await until(() =>
            server.seen.some(
              ({ body }) => (body['variables'] as { readonly text?: string } | undefined)?.text === `heard ${text}`,
            ),
          );
        };
        await hears('at first');
        for (let reload = 0; reload < 10; reload++) {
          // Every other one changes the client, so that its connection is another one.
          const header = reload % 2 === 0 ? '' : 'headers = { "X-Reload" = "1" }\n  ';
          const changed = configuration.replace('driver   = "client"\n', `driver   = "client"\n  ${header}`);
          writeFileSync(join(directory, 'main.hcl'), changed);
          expect(await service.reload()).toBe(true);
          await hears(`after ${reload}`);
          expect(server.active).toEqual(['event']);
        }
        const metrics = await (await fetch(`http://127.0.0.1:${admin?.port}/metrics`)).text();
        expect(metrics).toMatch(/connector="shop"/);
        const health = await (await fetch(`http://127.0.0.1:${admin?.port}/health`)).text();
        expect(JSON.parse(health)).toMatchObject({ status: 'degraded' });
        expect(JSON.stringify([lines, metrics, health])).not.toContain('kept-secret');
      } finally {
        await service.stop();
      }
      await until(() => server.active.length === 0);
    });
  } finally {
    await server.close();
  }
});
