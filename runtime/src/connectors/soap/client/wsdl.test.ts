import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import type { CallRequest } from '../../../foundation/contracts/target.ts';
import { loadConfiguration } from '../../../service/config/load.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { ordersWsdl } from '../testing/orders-wsdl.ts';
import { problemsIn } from '../testing/problems.ts';
import { envelope, soap12 } from '../testing/served.ts';
import { create } from './connector.ts';
import { soapClient } from './spec.ts';

const service = (lines: string, more = '') =>
  `connector "erp" {\n  type = "soap"\n  ${lines}\n}\nflow "f" {\n  when = "@daily"\n  ${more}\n}\n`;
const step = (operation: string, params = '') =>
  `step "a" {\n    connector = "erp"\n    operation = "${operation}"\n    ${params}\n  }\n  response {\n    a = "1"\n  }`;

describe('svc validate reads the WSDL that a client names', () => {
  const written = 'wsdl = "orders.wsdl"';
  const among = (text: string, wsdl = ordersWsdl) => problemsIn({ 'a.hcl': text, 'orders.wsdl': wsdl });

  test('it says address, version and operations: neither endpoint nor driver needs to be written', async () => {
    const params = 'params = { customer = "\'a\'", line = "[1]", iban = "\'x\'", note = "\'y\'", "@kind" = "\'z\'" }';
    expect(await among(service(written, step('PlaceOrder', params)))).toEqual([]);
    expect(await among(service(written, step('Send', 'params = { anything = "1" }')))).toEqual([]);
    const target = 'to {\n    connector = "erp"\n    target    = "PlaceOrder"\n    operation = "INSERT"\n  }';
    expect(await among(service(written, target))).toEqual([]);
  });

  test.each([
    ['PlaceOrdr', '', 'orders.wsdl has no operation "PlaceOrdr"', 'Did you mean "PlaceOrder"?', 9],
    ['Cancel', '', 'orders.wsdl has no operation "Cancel"', 'It has PlaceOrder, Ping, Send.', 9],
    ['PlaceOrder', 'params = { lines = "1" }', 'operation "PlaceOrder" does not take lines', 'Did you mean line?', 10],
    ['Ping', 'params {\n      a = "1"\n    }', 'operation "Ping" does not take a', 'It takes no parameters.', 11],
  ])('operation %s with %s is refused', async (operation, params, message, help, line) => {
    expect(await among(service(written, step(operation, params)))).toEqual([[message, help, `a.hcl:${line}`]]);
  });

  test('of profiles too: the default one must have what is called, another one is a warning', async () => {
    const profiles = (standard: string) =>
      `connector "erp" {\n  select = "env('ERP', '')"\n  default = "${standard}"\n  profile "a" {\n    type = "soap"\n    ${written}\n  }\n  profile "b" {\n    type = "soap"\n    endpoint = "http://127.0.0.1:9/"\n  }\n}\nflow "f" {\n  when = "@daily"\n  ${step('PlaceOrdr')}\n}\n`;
    const found = async (text: string, files: Record<string, string> = { 'orders.wsdl': ordersWsdl }) =>
      (
        await loadConfiguration(folderWith({ 'a.hcl': text, ...files }), {
          environment: {},
          workingDirectory: '/',
          workers: 1,
          tests: false,
        })
      ).diagnostics.map(({ severity, message }) => `${severity}: ${message}`);
    expect(await found(profiles('a'))).toContain('error: orders.wsdl has no operation "PlaceOrdr"');
    expect(await found(profiles('b'))).toContain('warning: orders.wsdl has no operation "PlaceOrdr"');
    expect(await found(profiles('b'), { 'orders.wsdl': '<a/>' })).toContainEqual(
      expect.stringContaining('error: orders.wsdl: its root is a'),
    );
    expect(await found(profiles('b'), {})).toContainEqual(expect.stringContaining('error: '));
  });

  test('an action of an aspect names an operation of it too', async () => {
    const action = (words: string) =>
      `${service(written, step('Ping'))}aspect "copied" {\n  on   = ["f"]\n  when = "after"\n  action {\n    connector = "erp"\n    ${words}\n  }\n}\n`;
    expect(await among(action('operation = "Send"'))).toEqual([]);
    expect(await among(action('target = "Send"'))).toEqual([]);
    for (const words of ['operation = "Snd"', 'target = "Snd"', 'operation = "INSERT"\n    target = "Snd"'])
      expect((await among(action(words))).map(([message, help]) => [message, help])).toEqual([
        ['orders.wsdl has no operation "Snd"', 'Did you mean "Send"?'],
      ]);
  });

  test.each([
    ['<a', 'orders.wsdl: it is not valid XML: '],
    ['<!DOCTYPE a [<!ENTITY b "c">]>\n<a/>', 'orders.wsdl: it is not valid XML: document types and entities'],
    ['<a/>', 'orders.wsdl: its root is a, not the definitions of a WSDL 1.1 document'],
    [ordersWsdl.replace(/soap:binding /, 'soap:other '), 'orders.wsdl: it has no binding of SOAP'],
    [
      ordersWsdl.replace(/http:..127.0.0.1:1.orders/, 'jms:orders'),
      'orders.wsdl does not say the address of the service',
    ],
    [ordersWsdl.replace(/<wsdl:input message[^>]*>/g, ''), 'orders.wsdl: it has no operation that can be called'],
  ])('%#: a text that describes no service that can be called is refused', async (text, message) => {
    const problems = await among(service(written, step('Ping')), text);
    expect(problems.map(([says]) => says)).toEqual([expect.stringContaining(message)]);
  });

  test('S-99: files elsewhere are not read', async () => {
    for (const path of [
      '../orders.wsdl',
      '/etc/orders.wsdl',
      'a/../../orders.wsdl',
      'orders.txt',
      'http://erp/orders.wsdl',
    ])
      expect([path, await among(service(`wsdl = "${path}"`, step('Ping')))]).toEqual([path, [expect.any(Array)]]);
    expect(await problemsIn({ 'a.hcl': service(written, step('Ping')) })).toEqual([
      [expect.stringContaining('orders.wsdl cannot be read'), undefined, 'a.hcl:3'],
    ]);
  });
});

/** A service that answers everything, and a client that knows it by a WSDL. */
async function peer(settings: Record<string, unknown> = {}, production = false) {
  const seen: { readonly type: string | undefined; readonly action: unknown; readonly body: string }[] = [];
  const warned: unknown[] = [];
  const server = createServer(async (request, response) => {
    const body = String(await buffer(request));
    const [, inside = ''] = /<soap:Body>\s*([\s\S]*?)\s*<\/soap:Body>/.exec(body) ?? [];
    const { 'content-type': type, soapaction: action } = request.headers;
    seen.push({ type, action, body: inside.replace(/>\s+</g, '><') });
    response.writeHead(200, { 'content-type': 'application/soap+xml' }).end(envelope('<R><id>7</id></R>', '', soap12));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const wsdl = ordersWsdl.replace('127.0.0.1:1', `127.0.0.1:${port}`);
  const services = connectorServices({ directory: folderWith({ 'orders.wsdl': wsdl }), production });
  const log = { ...services.log, enabled: () => false, warn: (_: string, fields: unknown) => void warned.push(fields) };
  const values = configured(soapClient.config, { wsdl: 'orders.wsdl', ...settings });
  const connector = create('erp', values, { ...services, log } as typeof services) as TargetConnector;
  const prepare = (operation: string | undefined) =>
    connector.target.prepare({
      verb: 'call',
      operation,
      target: undefined,
      query: undefined,
      timeout: undefined,
      exact: false,
      flow: 'f',
      label: 'step "s"',
    });
  return {
    seen,
    warned,
    prepare,
    known: () => connector.knownTargets?.(new AbortController().signal),
    open: () => connector.open(new AbortController().signal),
    call: (operation: string, request: CallRequest = {}) => prepare(operation)(request),
    async [Symbol.asyncDispose]() {
      await connector.close(AbortSignal.abort());
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('a client that knows its service by a WSDL', () => {
  test('sends elements, namespaces, actions and the order of parameters as it says', async () => {
    await using erp = await peer();
    await erp.open();
    const params = { note: 'n', line: ['a', 'b'], '@kind': 'x', customer: 'ada' };
    expect(await erp.call('PlaceOrder', { params })).toEqual({ value: { id: '7' } });
    await erp.call('Ping');
    await erp.call('Send', { params: { z: 1, a: 2 } });
    const type = (action: string) => `application/soap+xml; charset=utf-8; action="${action}"`;
    expect(erp.seen).toEqual([
      {
        type: type('urn:place'),
        action: undefined,
        body: '<PlaceOrder xmlns="http://erp.example.org/orders" kind="x"><customer>ada</customer><line>a</line><line>b</line><note>n</note></PlaceOrder>',
      },
      {
        type: type('http://erp.example.org/orders/Ping'),
        action: undefined,
        body: '<Ping xmlns="http://erp.example.org/orders"/>',
      },
      {
        type: type('http://erp.example.org/data/Send'),
        action: undefined,
        body: '<ns:Send xmlns:ns="http://erp.example.org/data"><z>1</z><a>2</a></ns:Send>',
      },
    ]);
  });

  test('knows its operations with their parameters, for editors', async () => {
    await using erp = await peer();
    expect(await erp.known()).toEqual([]);
    await erp.open();
    expect(await erp.known()).toEqual([
      { name: 'PlaceOrder', kind: 'operation', columns: ['customer', 'line', 'card', 'iban', 'note'] },
      { name: 'Ping', kind: 'operation', columns: [] },
      { name: 'Send', kind: 'operation', columns: [] },
    ]);
  });

  test('what is written beside it wins', async () => {
    await using erp = await peer({ namespace: 'urn:own', element_form: 'unqualified', soap_version: '1.1' });
    await erp.open();
    await erp.call('PlaceOrder', { params: { customer: 'ada' } });
    expect(erp.seen).toEqual([
      {
        type: 'text/xml; charset=utf-8',
        action: '"urn:place"',
        body: '<ns:PlaceOrder xmlns:ns="urn:own"><customer>ada</customer></ns:PlaceOrder>',
      },
    ]);
  });

  test('refuses a parameter that a message brings and the operation does not take; in production it is left out', async () => {
    await using erp = await peer();
    await erp.open();
    await expect(erp.call('PlaceOrder', { payload: { custmer: 1 } })).rejects.toMatchObject({
      code: 'value_refused',
      message: 'operation "PlaceOrder" does not take custmer. Did you mean customer?',
    });
    expect(erp.seen).toEqual([]);
    await using other = await peer({}, true);
    await other.open();
    await other.call('Ping', { payload: { secret: 'not for the log' } });
    expect([other.seen.map(({ body }) => body), other.warned]).toEqual([
      ['<Ping xmlns="http://erp.example.org/orders"/>'],
      [{ connector: 'erp', operation: 'Ping', field: 'secret' }],
    ]);
  });

  test('does not open where a flow calls an operation that it does not have, or the file does not exist', async () => {
    await using erp = await peer();
    erp.prepare('PlaceOrdr');
    await expect(erp.open()).rejects.toMatchObject({
      message: 'flow "f": step "s": orders.wsdl has no operation "PlaceOrdr". Did you mean "PlaceOrder"?',
    });
    await using named = await peer();
    await named.open();
    const call = named.prepare(undefined);
    await expect(call({ target: 'Cancel' })).rejects.toMatchObject({ code: 'value_refused' });
    await using away = await peer({ wsdl: 'away.wsdl' });
    await expect(away.open()).rejects.toMatchObject({ message: expect.stringContaining('it does not exist') });
  });
});
