import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importedOrders } from '../../connectors/soap/testing/imported-orders.ts';
import { ordersWsdl } from '../../connectors/soap/testing/orders-wsdl.ts';
import { compared, shortly } from '../testing/compared.ts';
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

const configuration = `connector "api" {
  type         = "soap"
  port         = 8081
  namespace    = "urn:orders"
  element_form = "qualified"
}
type "line" {
  sku   = string
  count = integer({ required = false })
  part  = line({ required = false })
}
type "order" {
  customer = string({ enum = ["ada", "bob"] })
  express  = boolean
  note     = string({ required = false })
  lines    = array({ items = "line" })
}
type "receipt" {
  id    = string
  total = number
  state = string({ enum = ["open", "sent"] })
  lines = array({ items = "line" })
}
flow "place" {
  from {
    connector = "api"
    operation = "Place"
  }
  validate {
    input  = "order"
    output = "receipt"
  }
  response {
    id = "'1'"
  }
}
flow "ping" {
  from {
    connector = "api"
    operation = "Ping"
  }
  response {
    ok = "'1'"
  }
}
`;

const exported = () =>
  inDirectory({ 'main.hcl': configuration }, async (directory) => (await typed(['export', 'wsdl'], directory)).out);

/** What is reported of a contract, which is made of what the configuration exports. */
async function reported(change: (text: string) => string, own = configuration) {
  const text = await exported();
  const changed = change(text);
  expect(changed).not.toBe(text);
  return inDirectory({ 'main.hcl': own, 'own.wsdl': changed }, async (directory) => {
    const { status, problems } = await compared(directory, '.', ['own.wsdl']);
    expect(status).toBe(problems.some(({ severity }) => severity === 'error') ? 1 : 0);
    return problems.map(({ severity, file, range, message, related: [there] }) => ({
      says: `${severity} ${file}:${range.start.line} ${message.replace(/ \(own\.wsdl: .*\)$/, '')}`,
      there: there && changed.split('\n')[there.range.start.line - 1]?.trim(),
    }));
  });
}

const replacing = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to);
/** Changes what is written in one element of the schema. */
const within = (name: string, from: string | RegExp, to: string) => (text: string) => {
  const start = text.indexOf(`<xs:element name="${name}">`);
  const end = text.indexOf('\n      </xs:element>', start);
  const part = text.slice(start, end);
  expect(part.replace(from, to)).not.toBe(part);
  return text.slice(0, start) + part.replace(from, to) + text.slice(end);
};
const request = (from: string | RegExp, to: string) => within('Place', from, to);
const answer = (from: string | RegExp, to: string) => within('PlaceResponse', from, to);

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
        const [types = ''] = /<xs:complexType name="line">[\s\S]*<\/xs:complexType>/.exec(text) ?? [];
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
      { 'a.wsdl': '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n<a>&e;</a>' },
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
        'error main.hcl:46 no flow serves Place, which the contract has (depot.wsdl: Place) <- depot.wsdl:119',
        'error main.hcl:46 no flow serves Ping, which the contract has (depot.wsdl: Ping) <- depot.wsdl:128',
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
