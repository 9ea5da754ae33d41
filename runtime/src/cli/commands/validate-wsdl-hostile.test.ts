import { describe, expect, test } from 'vitest';
import { importedOrders } from '../../connectors/soap/testing/imported-orders.ts';
import { compared, shortly } from '../testing/compared.ts';
import { answer, configuration, exported, reported, request } from '../testing/ordered-soap.ts';
import { inDirectory } from '../testing/typed.ts';

describe('a contract that cannot be compared', () => {
  const schema = (text: string) => importedOrders['xsd/sku.xsd']?.replace('</xs:schema>', `${text}</xs:schema>`) ?? '';
  const without = (path: string) =>
    Object.fromEntries(Object.entries(importedOrders).filter(([each]) => each !== path));
  const chain = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [
      `c${at}.wsdl`,
      `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"><import namespace="urn:x" location="c${at + 1}.wsdl"/></definitions>`,
    ]),
  );
  test.each<[string, Record<string, string>, [at: string, says: string]]>([
    ['nothing', { 'a.wsdl': '' }, ['a.wsdl:1', 'it is not valid XML: document must contain a root element']],
    [
      'another language',
      { 'a.wsdl': 'syntax = "proto3";' },
      ['a.wsdl:1', 'it is not valid XML: text data outside of root node'],
    ],
    [
      'another document',
      { 'a.wsdl': '<a/>' },
      ['a.wsdl:1', 'its root is a, not the definitions of a WSDL 1.1 document'],
    ],
    [
      'WSDL 2.0',
      { 'a.wsdl': '<description xmlns="http://www.w3.org/ns/wsdl"/>' },
      ['a.wsdl:1', 'it is a WSDL 2.0 document, and WSDL 1.1 is read'],
    ],
    [
      'entities',
      { 'a.wsdl': '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///nowhere">]>\n<a>&e;</a>' },
      ['a.wsdl:1', 'it is not valid XML: document types and entities are not accepted (<!…)'],
    ],
    ['levels without end', { 'a.wsdl': '<a>'.repeat(50_000) }, ['a.wsdl:1', 'it is nested deeper than 100 levels']],
    [
      'half a document',
      { 'a.wsdl': (importedOrders['parts/binding.wsdl'] ?? '').slice(0, 900) },
      ['a.wsdl:13', 'it is not valid XML: unclosed tag: wsdl:binding'],
    ],
    [
      'a part that is not there',
      { ...without('xsd/line.xsd'), 'a.wsdl': importedOrders['orders.wsdl'] ?? '' },
      ['xsd/orders.xsd:1', 'of what it imports, "xsd/line.xsd" cannot be read: it does not exist'],
    ],
    [
      'a broken part',
      { ...importedOrders, 'xsd/sku.xsd': schema('\n<'), 'a.wsdl': importedOrders['orders.wsdl'] ?? '' },
      ['xsd/sku.xsd:5', 'it is not valid XML: disallowed character in tag name'],
    ],
    [
      'what leads out',
      { 'a.wsdl': (importedOrders['orders.wsdl'] ?? '').replace('parts/binding.wsdl', '../../etc/passwd') },
      [
        'a.wsdl:1',
        'it has no binding of SOAP; import of ../../etc/passwd in a.wsdl: it is outside of the folder; save it beside a.wsdl, and write its path relative to that',
      ],
    ],
    [
      'what would be fetched',
      {
        'a.wsdl': (importedOrders['orders.wsdl'] ?? '').replace(
          'parts/binding.wsdl',
          'http://127.0.0.1:1/binding.wsdl',
        ),
      },
      [
        'a.wsdl:1',
        'it has no binding of SOAP; import of http://127.0.0.1:1/binding.wsdl in a.wsdl: nothing is fetched; save it beside a.wsdl, and write its path relative to that',
      ],
    ],
    ['a chain', { ...chain, 'a.wsdl': chain['c0.wsdl'] ?? '' }, ['a.wsdl:1', 'it imports more than 100 documents']],
    [
      'no SOAP',
      { 'a.wsdl': '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"/>' },
      ['a.wsdl:1', 'it has no binding of SOAP'],
    ],
  ])('%s', async (_, files, expected) => {
    await inDirectory({ 'own/main.hcl': configuration, ...files }, async (directory) => {
      const { status, problems } = await compared(directory, 'own', ['a.wsdl']);
      const [at, says] = expected;
      expect([status, shortly(problems)]).toEqual([1, [`error ${at} the contract cannot be compared: ${says}`]]);
    });
  });

  test('where no server of SOAP is, and where several are', async () => {
    const flow = (name: string, connector: string, operation: string) =>
      `flow "${name}" {\n  from {\n    connector = "${connector}"\n    operation = "${operation}"\n  }\n}\n`;
    const rest = `connector "web" {\n  type = "rest"\n  port = 8080\n}\n${flow('a', 'web', 'GET /a')}`;
    const second = `connector "depot" {\n  type = "soap"\n  port = 8082\n  namespace = "urn:orders"\n}\n${flow('far', 'depot', 'Far')}`;
    const text = await exported();
    const files = { 'a.wsdl': text, 'depot.wsdl': text, 'none/main.hcl': rest, 'two/main.hcl': configuration + second };
    await inDirectory(files, async (directory) => {
      const none = await compared(directory, 'none', ['a.wsdl']);
      expect(shortly(none.problems)).toEqual([
        'error a.wsdl:1 the contract cannot be compared: no connector of type soap serves flows here',
      ]);
      const two = await compared(directory, 'two', ['a.wsdl', 'depot.wsdl']);
      expect(shortly(two.problems).map((each) => each.slice(0, 150))).toEqual([
        'error a.wsdl:1 the contract cannot be compared: several connectors serve SOAP; name the file after the one that it is of: api, depot',
        'error main.hcl:46 no flow serves Place, which the contract has (depot.wsdl: Place) <- depot.wsdl:151',
        'error main.hcl:46 no flow serves Ping, which the contract has (depot.wsdl: Ping) <- depot.wsdl:163',
        'warning main.hcl:54 Far is served, and the contract does not have it',
      ]);
    });
  });
});

test('groups that repeat groups, and bases without end, end', async () => {
  const groups = Array.from(
    { length: 45 },
    (_, at) =>
      `<xs:group name="g${at}"><xs:sequence><xs:group ref="tns:g${at + 1}"/><xs:group ref="tns:g${at + 1}"/></xs:sequence></xs:group>`,
  ).join('');
  const bases = Array.from(
    { length: 5000 },
    (_, at) => `<xs:simpleType name="s${at}"><xs:restriction base="tns:s${at + 1}"/></xs:simpleType>`,
  ).join('\n');
  const changed = (text: string) =>
    request(
      '<xs:sequence>',
      '<xs:sequence><xs:group ref="tns:g0"/><xs:element name="odd" type="tns:s0"/>',
    )(text).replace('<xs:complexType name="line">', `${groups}${bases}$&`);
  expect((await reported(changed)).map(({ says }) => says)).toEqual([
    'error main.hcl:27 the request of Place has more groups and bases in the contract than are read: nothing of it is compared',
  ]);
});

test('a contract of several MiB is compared in seconds', async () => {
  const types = Array.from(
    { length: 15_000 },
    (_, at) =>
      `<xs:complexType name="t${at}"><xs:sequence><xs:element name="a" type="xs:string"/><xs:element name="b" type="tns:t${at + 1}" minOccurs="0"/></xs:sequence></xs:complexType>`,
  ).join('\n');
  const says = await reported((text) =>
    answer(
      '<xs:sequence>',
      '<xs:sequence><xs:element name="far" type="tns:t0"/>',
    )(text).replace('<xs:complexType name="line">', `${types}$&`),
  );
  expect(says.map(({ says }) => says)).toEqual([
    'error main.hcl:18 the answer of Place has the field "far" in the contract, and not here',
  ]);
}, 30_000);
