import { symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { mostCharacters, mostDocuments } from '../../../platform/formats/wsdl/documents.ts';
import { describeCall } from '../../database/testing/parts.ts';
import { made } from '../testing/bed.ts';
import { importedOrders } from '../testing/imported-orders.ts';
import { problemsIn } from '../testing/problems.ts';
import { bodyOf, envelope } from '../testing/served.ts';
import { describedPeer } from './described.ts';

const configuration = (params: string) => `connector "erp" {
  type = "soap"
  wsdl = "erp/orders.wsdl"
}
flow "f" {
  when = "@daily"
  step "a" {
    connector = "erp"
    operation = "PlaceOrder"
    params    = { ${params} }
  }
  response {
    a = "1"
  }
}
`;
const below = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`erp/${path}`, text]));
const changed = (path: string, from: string | RegExp, to: string) => ({
  ...importedOrders,
  [path]: (importedOrders[path] as string).replace(from, to),
});
const parties = 'schemaLocation="parties.xsd"';
const schema = (text = '', namespace = '') =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" ${namespace && `targetNamespace="${namespace}"`}>${text}</xs:schema>`;

/** Reads a description of these files, as a connector does. */
const read = (files: Readonly<Record<string, string>>) =>
  describedPeer({
    text: files['orders.wsdl'] as string,
    path: 'orders.wsdl',
    read: (path) => {
      const text = files[path];
      if (text === undefined) throw new Error(`"${path}" cannot be read: it does not exist`);
      return text;
    },
  });

describe('svc validate reads what a WSDL imports', () => {
  const among = (files: Readonly<Record<string, string>>, params = 'line = "\'a\'"') =>
    problemsIn({ 'a.hcl': configuration(params), ...below(files) });

  test('it knows operations and parameters of schemas in other files', async () => {
    expect(await among(importedOrders)).toEqual([]);
    expect(await among(importedOrders, 'lime = "\'a\'"')).toEqual([
      ['operation "PlaceOrder" does not take lime', 'Did you mean line?', 'a.hcl:10'],
    ]);
  });

  test('a schema of XML itself, which is imported by its address, is not needed', async () => {
    const of = 'namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="http://www.w3.org/2001/xml.xsd"';
    expect(await among(changed('xsd/parties.xsd', '<xs:import ', `<xs:import ${of}/>\n<xs:import `))).toEqual([]);
  });

  const remote = (location: string, why = 'nothing is fetched') =>
    `erp/orders.wsdl: import of ${location} in erp/xsd/orders.xsd: ${why}; save it beside erp/xsd/orders.xsd, and write its path relative to that`;
  test.each([
    [parties, 'schemaLocation="https://erp.example.org/parties.xsd"', remote('https://erp.example.org/parties.xsd')],
    [parties, 'schemaLocation="//erp.example.org/p.xsd"', remote('//erp.example.org/p.xsd')],
    [parties, 'schemaLocation="file:///etc/passwd"', remote('file:///etc/passwd')],
    [parties, 'schemaLocation="/etc/passwd"', remote('/etc/passwd')],
    [parties, 'schemaLocation="erp.svc?xsd=xsd0"', remote('erp.svc?xsd=xsd0', 'it names no file')],
    [parties, 'schemaLocation="../../../etc/passwd"', remote('../../../etc/passwd', 'it is outside of the folder')],
    [parties, 'schemaLocation="%2e%2e/../../x.xsd"', remote('%2e%2e/../../x.xsd', 'it is outside of the folder')],
    [
      parties,
      'schemaLocation="away.xsd"',
      expect.stringContaining('of what it imports, the file erp/xsd/away.xsd cannot be read: it does not exist'),
    ],
    [
      /<xs:include [^>]*>/,
      '<xs:redefine schemaLocation="line.xsd"/>',
      'erp/orders.wsdl: redefine of line.xsd: redefined types are not read',
    ],
    [
      /<xs:include [^>]*>/,
      '<xs:include schemaLocation="parties.xsd"/>',
      'erp/xsd/parties.xsd: erp/xsd/orders.xsd includes it, and its namespace is another one: urn:parties',
    ],
    [
      /<xs:include [^>]*>/,
      '<xs:include schemaLocation="../orders.wsdl"/>',
      'erp/orders.wsdl: its root is definitions, not a schema of XML',
    ],
  ])('%#: what cannot be read is refused by its name', async (from, to, message) => {
    const problems = await among(changed('xsd/orders.xsd', from, to));
    expect(problems.map(([says]) => says)).toEqual([message]);
  });

  test('what is not XML has its own file and line', async () => {
    expect(await among({ ...importedOrders, 'xsd/line.xsd': '<a>\n<b></a>' })).toEqual([
      [expect.stringContaining('erp/xsd/line.xsd: it is not valid XML: '), undefined, 'erp/xsd/line.xsd:2'],
    ]);
  });

  test('S-57: a document type in an imported file is refused', async () => {
    const typed = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///nowhere">]><a>&b;</a>';
    expect((await among({ ...importedOrders, 'xsd/line.xsd': typed })).map(([says]) => says)).toEqual([
      expect.stringContaining('erp/xsd/line.xsd: it is not valid XML: document types and entities'),
    ]);
  });
});

describe('a description in many files is bounded', () => {
  test('documents that import each other in a ring of the most that are read', () => {
    const ring = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `xsd/ring${at}.xsd`,
          schema(`<xs:import namespace="urn:${at + 1}" schemaLocation="ring${(at + 1) % count}.xsd"/>`, `urn:${at}`),
        ]),
      );
    const begun = changed(
      'xsd/sku.xsd',
      '<xs:include schemaLocation="line.xsd"/>',
      '<xs:import namespace="urn:0" schemaLocation="ring0.xsd"/>',
    );
    const own = Object.keys(importedOrders).length;
    expect([...read({ ...begun, ...ring(mostDocuments - own) }).operations.keys()]).toEqual(['PlaceOrder']);
    expect(() => read({ ...begun, ...ring(mostDocuments - own + 1) })).toThrow('it imports more than 100 documents');
  });

  test('a large schema that many others include under their own namespaces', () => {
    const large = schema(`<xs:simpleType name="Sku"/>${' '.repeat(1024 * 1024)}`);
    const many = Array.from({ length: 20 }, (_, at) => schema('<xs:include schemaLocation="large.xsd"/>', `urn:${at}`));
    const files = {
      ...changed(
        'parts/binding.wsdl',
        '</wsdl:types>',
        `${many.join('').replaceAll('large.xsd', '../large.xsd')}</wsdl:types>`,
      ),
      'large.xsd': large,
    };
    expect(() => read(files)).toThrow(`it and what it imports are larger than ${mostCharacters / 1024 / 1024} MiB`);
  });

  test('S-99: a link out of the folder is not followed when the service starts', async () => {
    const outside = folderWith({ 'parties.xsd': importedOrders['xsd/parties.xsd'] as string });
    const { 'xsd/parties.xsd': _, ...others } = importedOrders;
    const directory = folderWith(others);
    symlinkSync(join(outside, 'parties.xsd'), join(directory, 'xsd', 'parties.xsd'));
    const connector = made({ wsdl: 'orders.wsdl' }, connectorServices({ directory }));
    await expect(connector.open(new AbortController().signal)).rejects.toMatchObject({
      message:
        'the description of connector "erp" cannot be used: xsd/orders.xsd: of what it imports, "xsd/parties.xsd" cannot be read: it is outside of the project',
    });
  });
});

describe('what is sent', () => {
  /** The body of a request with these settings and parameters. */
  async function sent(settings: Record<string, unknown>, params: Record<string, unknown>) {
    let body = '';
    const server = createServer(async (request, response) => {
      body = bodyOf(String(await buffer(request)));
      response.writeHead(200, { 'content-type': 'text/xml' }).end(envelope('<R/>'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const services = connectorServices({ directory: folderWith(importedOrders) });
    const connector = made({ wsdl: 'orders.wsdl', endpoint, ...settings }, services);
    try {
      await connector.open(new AbortController().signal);
      await connector.target.prepare(describeCall('call', { operation: 'PlaceOrder' }))({ params });
      return body;
    } finally {
      await connector.close();
      server.closeAllConnections();
      server.close();
    }
  }

  const order = {
    note: 'n',
    line: [{ count: 2, sku: 'a', '@id': '1' }],
    customer: { parent: { name: 'b' }, name: 'a' },
  };

  test('each element is in the namespace of its schema, in the order of it', async () => {
    expect(await sent({}, order)).toBe(
      '<PlaceOrder xmlns="urn:orders"><customer><name xmlns="">a</name><parent xmlns=""><name>b</name></parent></customer><line id="1"><sku>a</sku><count>2</count></line><note xmlns="urn:parties">n</note></PlaceOrder>',
    );
    expect(await sent({}, { customer: { name: null }, line: [], note: null })).toBe(
      '<PlaceOrder xmlns="urn:orders"><customer><name xmlns=""/></customer><note xmlns="urn:parties"/></PlaceOrder>',
    );
  });

  test('what the configuration says of namespaces is for all elements', async () => {
    expect(await sent({ element_form: 'unqualified' }, order)).toBe(
      '<ns:PlaceOrder xmlns:ns="urn:orders"><customer><parent><name>b</name></parent><name>a</name></customer><line id="1"><count>2</count><sku>a</sku></line><note>n</note></ns:PlaceOrder>',
    );
  });
});
