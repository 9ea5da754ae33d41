import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { recordingLog } from '../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../test/support/folder.ts';
import { freePort } from '../../../../test/support/free-port.ts';
import { ordersWsdl } from '../../connectors/soap/testing/orders-wsdl.ts';
import { envelope } from '../../connectors/soap/testing/served.ts';
import { compilePlan } from '../../engine/plan/compile.ts';
import { serviceOf } from '../index.ts';
import { loadService } from './load.ts';

const called = (operation: string, endpoint: string) => `service {
  admin_port = env("ADMIN_PORT")
}
connector "api" {
  type = "rest"
  host = "127.0.0.1"
  port = 0
}
connector "erp" {
  type     = "soap"
  wsdl     = "erp/orders.wsdl"
  endpoint = "${endpoint}"
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /f"
  }
  step "asked" {
    connector = "erp"
    operation = "${operation}"
  }
  response {
    of = "step.asked.of"
  }
}
`;

test('a reload with another description: what it describes is called as it says now, without a change of the block', async () => {
  const server = createServer(async (request, response) => {
    const [, name = ''] = /<soap:Body>\s*<(\w+)/.exec(String(await buffer(request))) ?? [];
    response.writeHead(200, { 'content-type': 'text/xml' }).end(envelope(`<R><of>${name}</of></R>`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const directory = folderWith({ 'a.hcl': called('Ping', endpoint), 'erp/orders.wsdl': ordersWsdl });
  const service = serviceOf({ directory, log: recordingLog(), variables: { ADMIN_PORT: String(await freePort()) } });
  const { addresses } = await service.start();
  const ask = async () => {
    const { port } = addresses.get('api') as { readonly port: number };
    return (await fetch(`http://127.0.0.1:${port}/f`, { method: 'POST' })).json();
  };
  try {
    expect(await ask()).toEqual({ of: 'Ping' });
    writeFileSync(join(directory, 'erp/orders.wsdl'), ordersWsdl.replaceAll('Ping', 'Pong'));
    expect([await service.reload(), await ask()]).toEqual([false, { of: 'Ping' }]);
    writeFileSync(join(directory, 'a.hcl'), called('Pong', endpoint));
    expect([await service.reload(), await ask()]).toEqual([true, { of: 'Pong' }]);
  } finally {
    await service.stop();
    server.closeAllConnections();
    server.close();
  }
});

const proto =
  'syntax = "proto3";\npackage shop;\nmessage A {\n  string id = 1;\n}\nservice S {\n  rpc Get (A) returns (A);\n}\n';
const block = (lines: string) => `connector "peer" {\n  type = "grpc"\n  ${lines}\n}\n`;

test.each([
  ['a client of gRPC is another one', 'driver = "client"\n  target = "127.0.0.1:1"\n  proto_path = "protos"', false],
  ['a server of gRPC keeps its connections', 'port = 50051\n  proto_path = "protos"', true],
])('with other definitions %s', async (_, lines, isSame) => {
  const directory = folderWith({ 'a.hcl': block(lines), 'protos/shop.proto': proto });
  const fingerprint = async () => {
    const options = { environment: {}, workingDirectory: directory, workers: 1 };
    const { ready, diagnostics } = await loadService(directory, options, 'development', (project, engine) =>
      compilePlan(project, { engine }),
    );
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return ready?.plan.connectors.map((planned) => planned.fingerprint);
  };
  const first = await fingerprint();
  expect(await fingerprint()).toEqual(first);
  writeFileSync(join(directory, 'protos/shop.proto'), proto.replace('rpc Get', 'rpc Take'));
  expect((await fingerprint())?.[0] === first?.[0]).toBe(isSame);
});
