import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importedOrders } from '../../connectors/soap/testing/imported-orders.ts';
import { ordersWsdl } from '../../connectors/soap/testing/orders-wsdl.ts';
import { compared, shortly } from '../testing/compared.ts';
import { answer, configuration, replacing, reported, request, within } from '../testing/ordered-soap.ts';
import { inDirectory, typed } from '../testing/typed.ts';

const repository = join(import.meta.dirname, '..', '..', '..', '..');

describe('what a configuration exports differs from it in nothing', () => {
  test.each(['examples/soap-orders', 'test/bench/soap', 'test/scenarios/inputs'])('%s', async (path) => {
    const configuration = join(repository, path);
    const environment = { DATABASE_URL: 'postgres://reader:secret@localhost:5432/inputs' };
    await inDirectory({}, async (directory) => {
      const { status, out } = await typed(['export', 'wsdl', '-c', configuration], directory, environment);
      expect(status).toBe(0);
      // Where it is served is of no concern.
      writeFileSync(
        join(directory, 'own.wsdl'),
        out.replace(/location="[^"]*"/, 'location="https://far.example.org/"'),
      );
      expect((await compared(directory, configuration, ['own.wsdl'], environment)).problems).toEqual([]);
    });
  });
});

describe('one change each', () => {
  const placed = 'main.hcl:27';
  test.each<[string, (text: string) => string, string[]]>([
    [
      'another version of SOAP',
      replacing('wsdl/soap/"', 'wsdl/soap12/"'),
      ['error main.hcl:1 SOAP 1.1 is served, and the contract is of SOAP 1.2'],
    ],
    [
      'another action',
      replacing('soapAction="urn:orders/Place"', 'soapAction="urn:place"'),
      [`warning ${placed} Place has the SOAPAction urn:orders/Place here, and urn:place in the contract`],
    ],
    [
      'a field more in a request',
      request('<xs:sequence>', '<xs:sequence>\n<xs:element name="far" type="xs:string"/>'),
      ['warning main.hcl:12 the request of Place has the field "far" in the contract, and not here'],
    ],
    [
      'a field more in an answer',
      answer('<xs:sequence>', '<xs:sequence>\n<xs:element name="far" type="xs:string"/>'),
      ['error main.hcl:18 the answer of Place has the field "far" in the contract, and not here'],
    ],
    [
      'a field more in an answer, which may be absent',
      answer('<xs:sequence>', '<xs:sequence>\n<xs:element name="far" type="xs:string" minOccurs="0"/>'),
      ['warning main.hcl:18 the answer of Place has the field "far" in the contract, and not here'],
    ],
    [
      'a field less in a request, which must be there here',
      request(/ *<xs:element name="express".*\n/, ''),
      ['error main.hcl:14 the request of Place has the field "express" here, and not in the contract'],
    ],
    [
      'a field less in a request',
      request(/ *<xs:element name="note".*\n/, ''),
      ['warning main.hcl:15 the request of Place has the field "note" here, and not in the contract'],
    ],
    [
      'a field less in an answer',
      answer(/ *<xs:element name="total".*\n/, ''),
      ['warning main.hcl:20 the answer of Place has the field "total" here, and not in the contract'],
    ],
    [
      'a field of a request that may be absent',
      request('name="express"', 'name="express" minOccurs="0"'),
      ['error main.hcl:14 the request of Place.express must be there here, and may be absent in the contract'],
    ],
    [
      'a field of a request that may be nil',
      request('name="express"', 'name="express" nillable="true"'),
      ['error main.hcl:14 the request of Place.express must be there here, and may be absent in the contract'],
    ],
    [
      'a field of a request that must be there',
      request(/(name="note".*) minOccurs="0" nillable="true"/, '$1'),
      ['warning main.hcl:15 the request of Place.note may be absent here, and must be there in the contract'],
    ],
    [
      'a field of an answer that may be absent',
      answer('name="total"', 'name="total" minOccurs="0"'),
      ['warning main.hcl:20 the answer of Place.total must be there here, and may be absent in the contract'],
    ],
    [
      'a list in a request',
      request('name="express"', 'name="express" maxOccurs="unbounded"'),
      ['error main.hcl:14 the request of Place.express is a single element here, and a list in the contract'],
    ],
    [
      'a list in an answer',
      answer('name="total"', 'name="total" maxOccurs="9"'),
      ['warning main.hcl:20 the answer of Place.total is a single element here, and a list in the contract'],
    ],
    [
      'no list in a request',
      request(/(name="lines".*) minOccurs="0" maxOccurs="unbounded"/, '$1'),
      ['warning main.hcl:16 the request of Place.lines is a list here, and a single element in the contract'],
    ],
    [
      'no list in an answer',
      answer(/(name="lines".*) minOccurs="0" maxOccurs="unbounded"/, '$1'),
      ['error main.hcl:22 the answer of Place.lines is a list here, and a single element in the contract'],
    ],
    [
      'any text in a request',
      request('xs:boolean', 'xs:string'),
      ['error main.hcl:14 the request of Place.express is true or false here, and a text in the contract'],
    ],
    [
      'a narrower type of an answer',
      answer('xs:double', 'xs:int'),
      ['error main.hcl:20 the answer of Place.total is a number here, and a whole number in the contract'],
    ],
    [
      'any text in an answer',
      answer('xs:double', 'xs:string'),
      ['warning main.hcl:20 the answer of Place.total is a number here, and a text in the contract'],
    ],
    ['another type of numbers', answer('xs:double', 'xs:decimal'), []],
    [
      'an element with fields',
      answer('type="xs:double"', 'type="tns:line"'),
      ['error main.hcl:20 the answer of Place.total is a number here, and an element with fields in the contract'],
    ],
    [
      'anything in a request',
      request('xs:boolean', 'xs:anyType'),
      ['error main.hcl:14 the request of Place.express is true or false here, and anything in the contract'],
    ],
    [
      'anything in an answer',
      answer('xs:double', 'xs:anyType'),
      ['warning main.hcl:20 the answer of Place.total is a number here, and anything in the contract'],
    ],
    [
      'a value more in a request',
      request('<xs:enumeration value="bob"/>', '<xs:enumeration value="bob"/><xs:enumeration value="cy"/>'),
      [
        'error main.hcl:13 the request of Place.customer may be "ada", "bob" here, and "ada", "bob", "cy" in the contract',
      ],
    ],
    [
      'a value less in an answer',
      answer('<xs:enumeration value="sent"/>', ''),
      ['error main.hcl:21 the answer of Place.state may be "open", "sent" here, and "open" in the contract'],
    ],
    [
      'a value more in an answer',
      answer('<xs:enumeration value="sent"/>', '<xs:enumeration value="sent"/><xs:enumeration value="lost"/>'),
      [
        'warning main.hcl:21 the answer of Place.state may be "open", "sent" here, and "open", "sent", "lost" in the contract',
      ],
    ],
    [
      'another order of an answer',
      answer(/( *<xs:element name="id".*\n)( *<xs:element name="total".*\n)/, '$2$1'),
      [
        'error main.hcl:18 the answer of Place has its fields in another order: "id" is before "total" here, and after it in the contract',
      ],
    ],
    [
      'another order of a request',
      request(/( *<xs:element name="express".*\n)( *<xs:element name="note".*\n)/, '$2$1'),
      [
        'warning main.hcl:12 the request of Place has its fields in another order: "express" is before "note" here, and after it in the contract',
      ],
    ],
    [
      'elements without a namespace',
      replacing('"qualified"', '"unqualified"'),
      [
        'error main.hcl:8 the answer of Place.lines.sku is in the namespace urn:orders here, and in no namespace in the contract',
        'error main.hcl:9 the answer of Place.lines.count is in the namespace urn:orders here, and in no namespace in the contract',
        'error main.hcl:10 the answer of Place.lines.part is in the namespace urn:orders here, and in no namespace in the contract',
        'error main.hcl:19 the answer of Place.id is in the namespace urn:orders here, and in no namespace in the contract',
        'error main.hcl:20 the answer of Place.total is in the namespace urn:orders here, and in no namespace in the contract',
        'error main.hcl:21 the answer of Place.state is in the namespace urn:orders here, and in no namespace in the contract',
        'error main.hcl:22 the answer of Place.lines is in the namespace urn:orders here, and in no namespace in the contract',
      ],
    ],
    [
      'another element of answers',
      (text) =>
        text.replaceAll('"PlaceResponse"', '"PlaceResult"').replaceAll('tns:PlaceResponse"', 'tns:PlaceResult"'),
      [
        `error ${placed} Place is answered with the element {urn:orders}PlaceResponse here, and with {urn:orders}PlaceResult in the contract`,
      ],
    ],
    [
      'no answer',
      (text) => text.replace(/ *<wsdl:output message="tns:PlaceResponse"\/>\n/, ''),
      [`warning ${placed} Place is answered here, and not in the contract`],
    ],
    [
      'fields of what has no type here',
      within('Ping', /<xs:any .*>/, '<xs:element name="a" type="xs:string"/>'),
      ['warning main.hcl:40 the request of Ping is not described by a type here: nothing of it is compared'],
    ],
    [
      'an attribute, a comment, an annotation and blanks',
      (text) =>
        text.replaceAll(
          '<xs:sequence>',
          '<xs:sequence>  <!-- what it has -->\n<xs:annotation><xs:documentation>It.</xs:documentation></xs:annotation>',
        ),
      [],
    ],
    [
      'declarations in another order',
      (text) => {
        const [types = ''] = /<xs:complexType name="line">[\s\S]*?<\/xs:complexType>/.exec(text) ?? [];
        return text.replace(types, '').replace('<xs:element name="Place">', `${types}\n<xs:element name="Place">`);
      },
      [],
    ],
    [
      'a field of a type that is used twice',
      replacing(/(<xs:complexType name="line">[\s\S]*?name="sku" type=")xs:string/, '$1xs:int'),
      [
        'error main.hcl:8 the answer of Place.lines.sku is a text here, and a whole number in the contract',
        'warning main.hcl:8 the request of Place.lines.sku is a text here, and a whole number in the contract',
      ],
    ],
  ])('%s', async (_, change, expected) => {
    expect((await reported(change)).map(({ says }) => says)).toEqual(expected);
  });

  test('what is here and not in the contract', async () => {
    const more = `${configuration}flow "count" {\n  from {\n    connector = "api"\n    operation = "Count"\n  }\n  response {\n    n = "'1'"\n  }\n}\n`;
    expect(await reported((text) => `${text}<!-- -->`, more)).toEqual([
      { says: 'warning main.hcl:49 Count is served, and the contract does not have it', there: undefined },
    ]);
  });

  test('what is in the contract and not here', async () => {
    const less = configuration.slice(0, configuration.indexOf('flow "ping"'));
    expect(await reported((text) => `${text}<!-- -->`, less)).toEqual([
      {
        says: 'error main.hcl:1 no flow serves Ping, which the contract has',
        there: '<wsdl:operation name="Ping">',
      },
    ]);
  });

  test('the place in the contract is the element', async () => {
    expect(await reported(answer('xs:double', 'xs:int'))).toEqual([
      {
        says: 'error main.hcl:20 the answer of Place.total is a number here, and a whole number in the contract',
        there: '<xs:element name="total" type="xs:int"/>',
      },
    ]);
  });

  test('another namespace of the service', async () => {
    const says = (await reported((text) => text.replaceAll('"urn:orders"', '"urn:far"'))).map((each) => each.says);
    expect(says).toContain(
      `error ${placed} Place is answered with the element {urn:orders}PlaceResponse here, and with {urn:far}PlaceResponse in the contract`,
    );
    expect(says).toContain(`warning ${placed} Place has the namespace urn:orders here, and urn:far in the contract`);
  });
});

describe('what svc add wsdl wrote keeps the contract of another maker, as far as it is translated', () => {
  const added = async (files: Readonly<Record<string, string>>, name: string) =>
    inDirectory({ 'service.hcl': 'service {\n  name = "made"\n}\n', ...files }, async (directory) => {
      const made = await typed(['add', 'wsdl', name], directory);
      expect(made.status).toBe(0);
      return shortly((await compared(directory, '.', [name])).problems);
    });

  test('a description in several files of one form', async () => {
    const files = { ...importedOrders };
    // Elements of another namespace have that of the service in answers.
    files['xsd/orders.xsd'] = (files['xsd/orders.xsd'] ?? '').replace(
      '<xs:element name="customer" type="p:Party"/>\n  </xs:sequence>',
      '</xs:sequence>',
    );
    files['xsd/orders.xsd'] = files['xsd/orders.xsd'].replace(
      /(name="total" type="xs:decimal"\/>)<xs:element name="customer" type="p:Party"\/>/,
      '$1',
    );
    expect(await added(files, 'orders.wsdl')).toEqual([
      'warning flows/place_order.hcl:4 PlaceOrder has the SOAPAction urn:orders/PlaceOrder here, and urn:place in the contract (parts/binding.wsdl: PlaceOrder) <- parts/binding.wsdl:14',
      'warning types/Party.hcl:3 the request of PlaceOrder.customer.parent is not described by a type here: nothing of it is compared (xsd/parties.xsd: parent) <- xsd/parties.xsd:3',
    ]);
  });

  test('elements of answers in another namespace are missed', async () => {
    expect((await added(importedOrders, 'orders.wsdl')).filter((each) => each.startsWith('error'))).toEqual([
      'error types/Party.hcl:2 the answer of PlaceOrder.customer.name is in the namespace urn:orders here, and in no namespace in the contract (xsd/parties.xsd: name) <- xsd/parties.xsd:3',
      'error types/Party.hcl:3 the answer of PlaceOrder.customer.parent is in the namespace urn:orders here, and in no namespace in the contract (xsd/parties.xsd: parent) <- xsd/parties.xsd:3',
    ]);
  });

  test('bases, groups, choices, any content and two namespaces, of SOAP 1.2', async () => {
    expect((await added({ 'erp.wsdl': ordersWsdl }, 'erp.wsdl')).filter((each) => each.startsWith('error'))).toEqual(
      [],
    );
  });

  test('parts of their own types (style="rpc")', async () => {
    const rpc = `<definitions name="A" targetNamespace="urn:a" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:tns="urn:a" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/">
  <message name="In"><part name="a" type="xs:int"/><part name="b" type="xs:string"/></message>
  <message name="Out"><part name="sum" type="xs:int"/></message>
  <portType name="P"><operation name="Add"><input message="tns:In"/><output message="tns:Out"/></operation></portType>
  <binding name="B" type="tns:P"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Add"><soap:operation soapAction="urn:a/Add"/><input><soap:body use="literal" namespace="urn:a"/></input><output><soap:body use="literal" namespace="urn:a"/></output></operation>
  </binding>
</definitions>
`;
    expect(await added({ 'a.wsdl': rpc }, 'a.wsdl')).toEqual([]);
  });
});
