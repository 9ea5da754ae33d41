import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../test/support/free-port.ts';
import { choosePorts, listeningPorts } from './ports.ts';

const text = `
service { admin_port = env("ADMIN_PORT", "9191") }
connector "api" {
  type = "rest"
  port = env("PORT", 8080)
}
connector "inner" {
  type = "rest"
  port = 8081
}
connector "usual" { type = "rest" }
connector "events" {
  type = "websocket"
  port = env("EVENTS_PORT", 8082)
}
connector "news" { type = "websocket" }
connector "db" {
  type = "database"
  port = env("DB_PORT", "5432")
}
`;

/** Listens on a free port until the test is over. */
async function taken(): Promise<number> {
  const port = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, resolve));
  onTestFinished(() => void server.close());
  return port;
}

test('the ports that a service opens are read from its configuration, those it calls are not', () => {
  expect(listeningPorts([{ path: 'a.hcl', text }])).toEqual([
    { what: 'connector', port: 8080, variable: 'PORT' },
    { what: 'connector', port: 8081, variable: undefined },
    { what: 'connector', port: 3000, variable: undefined },
    { what: 'connector', port: 8082, variable: 'EVENTS_PORT' },
    { what: 'connector', port: 3001, variable: undefined },
    { what: 'admin', port: 9191, variable: 'ADMIN_PORT' },
  ]);
  expect(listeningPorts([{ path: 'a.hcl', text: 'connector "x" {' }])).toEqual([
    { what: 'admin', port: 9090, variable: undefined },
  ]);
});

test('free ports are left as they are; a taken one changes where a variable allows it', async () => {
  const [busy, free, other] = [await taken(), await freePort(), await freePort()];
  const ports = [
    { what: 'connector', port: busy, variable: 'PORT' },
    { what: 'connector', port: busy, variable: undefined },
    { what: 'connector', port: 1, variable: 'OTHER' },
    { what: 'admin', port: free, variable: 'ADMIN_PORT' },
  ] as const;
  const { set, admin, connectors } = await choosePorts(ports, { OTHER: String(other) });
  expect([admin, connectors, set]).toEqual([free, [expect.any(Number), busy, other], { PORT: String(connectors[0]) }]);
  expect(connectors[0]).not.toBe(busy);
});

test('connectors of one variable are served at one address', async () => {
  const [busy, admin] = [await taken(), await freePort()];
  const ports = [
    { what: 'connector', port: busy, variable: 'PORT' },
    { what: 'connector', port: busy, variable: 'PORT' },
    { what: 'admin', port: admin, variable: 'ADMIN_PORT' },
  ] as const;
  const { set, connectors } = await choosePorts(ports, {});
  expect([connectors, set]).toEqual([[expect.any(Number)], { PORT: String(connectors[0]) }]);
});

test('two that want the same port get two', async () => {
  const port = await freePort();
  const { set, admin, connectors } = await choosePorts(
    [
      { what: 'connector', port, variable: 'PORT' },
      { what: 'admin', port, variable: 'ADMIN_PORT' },
    ],
    {},
  );
  expect([connectors, set]).toEqual([[port], { ADMIN_PORT: String(admin) }]);
  expect(admin).not.toBe(port);
});
