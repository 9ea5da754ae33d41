import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const service = 'service {\n  name = "erp"\n}\n';
const wsdl = `<?xml version="1.0" encoding="utf-8"?>
<wsdl:definitions name="Orders" targetNamespace="http://erp.example.org/orders"
    xmlns:tns="http://erp.example.org/orders" xmlns:d="http://erp.example.org/data"
    xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:http="http://schemas.xmlsoap.org/wsdl/http/">
  <wsdl:types>
    <xs:schema targetNamespace="http://erp.example.org/data" elementFormDefault="qualified">
      <xs:simpleType name="Sku"><xs:restriction base="xs:string"><xs:pattern value="[A-Z]{2}\\d+"/><xs:maxLength value="20"/></xs:restriction></xs:simpleType>
      <xs:simpleType name="State"><xs:restriction base="xs:string"><xs:enumeration value="open"/><xs:enumeration value="sent"/></xs:restriction></xs:simpleType>
      <xs:complexType name="Line">
        <xs:annotation><xs:documentation>One line of an order.</xs:documentation></xs:annotation>
        <xs:sequence>
          <xs:element name="sku" type="d:Sku"/>
          <xs:element name="quantity" type="xs:positiveInteger"/>
          <xs:element name="price" type="xs:decimal" minOccurs="0"/>
        </xs:sequence>
        <xs:attribute name="id" type="xs:string"/>
      </xs:complexType>
      <xs:complexType name="Party"><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType>
      <xs:complexType name="Company"><xs:complexContent><xs:extension base="d:Party"><xs:sequence><xs:element name="vat" type="xs:string"/><xs:element name="parent" type="d:Company" minOccurs="0"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
    </xs:schema>
    <xs:schema targetNamespace="http://erp.example.org/orders" elementFormDefault="qualified">
      <xs:import namespace="http://erp.example.org/data"/>
      <xs:element name="PlaceOrder">
        <xs:complexType><xs:sequence>
          <xs:element name="customer" type="d:Company"/>
          <xs:element name="due" type="xs:date" minOccurs="0"><xs:annotation><xs:documentation>When it is needed.</xs:documentation></xs:annotation></xs:element>
          <xs:element name="line" type="d:Line" maxOccurs="unbounded"/>
          <xs:choice><xs:element name="card" type="xs:string"/><xs:element name="iban" type="xs:string"/></xs:choice>
          <xs:any minOccurs="0"/>
        </xs:sequence></xs:complexType>
      </xs:element>
      <xs:element name="PlaceOrderResponse">
        <xs:complexType><xs:sequence><xs:element name="id" type="xs:long"/><xs:element name="state" type="d:State"/></xs:sequence></xs:complexType>
      </xs:element>
      <xs:element name="Ping"><xs:complexType/></xs:element>
      <xs:element name="Pong"><xs:complexType/></xs:element>
    </xs:schema>
  </wsdl:types>
  <wsdl:message name="PlaceIn"><wsdl:part name="parameters" element="tns:PlaceOrder"/></wsdl:message>
  <wsdl:message name="PlaceOut"><wsdl:part name="parameters" element="tns:PlaceOrderResponse"/></wsdl:message>
  <wsdl:message name="PingIn"><wsdl:part name="parameters" element="tns:Ping"/></wsdl:message>
  <wsdl:message name="PingOut"><wsdl:part name="parameters" element="tns:Pong"/></wsdl:message>
  <wsdl:portType name="OrdersSoap">
    <wsdl:operation name="PlaceOrder">
      <wsdl:documentation>Places an order.
      It is not sent yet.</wsdl:documentation>
      <wsdl:input message="tns:PlaceIn"/><wsdl:output message="tns:PlaceOut"/>
      <wsdl:fault name="sold_out" message="tns:PingOut"/>
    </wsdl:operation>
    <wsdl:operation name="Ping"><wsdl:input message="tns:PingIn"/><wsdl:output message="tns:PingOut"/></wsdl:operation>
  </wsdl:portType>
  <wsdl:binding name="OrdersSoap" type="tns:OrdersSoap">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="PlaceOrder"><soap:operation soapAction="x" style="document"/><wsdl:input><soap:body use="literal"/><soap:header message="tns:PingIn" part="parameters" use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>
    <wsdl:operation name="Ping"><wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>
  </wsdl:binding>
  <wsdl:binding name="OrdersHttp" type="tns:OrdersSoap"><http:binding verb="GET"/></wsdl:binding>
  <wsdl:service name="Orders"><wsdl:port name="OrdersSoap" binding="tns:OrdersSoap"><soap:address location="https://erp.example.org/orders.asmx"/></wsdl:port></wsdl:service>
</wsdl:definitions>
`;

/** What was written, by path, and what \`svc validate\` and \`svc fmt\` say of it. */
async function added(text: string, given: Readonly<Record<string, string>> = {}) {
  return inDirectory({ 'service.hcl': service, 'erp.wsdl': text, ...given }, async (directory) => {
    const { status, error } = await typed(['add', 'wsdl', 'erp.wsdl'], directory);
    const written = Object.fromEntries(
      ['connectors', 'flows', 'types']
        .filter((folder) => existsSync(join(directory, folder)))
        .flatMap((folder) => readdirSync(join(directory, folder)).map((name) => `${folder}/${name}`))
        .map((path) => [path, readFileSync(join(directory, path), 'utf8')]),
    );
    const checked = await typed(['validate'], directory);
    const unformatted = await typed(['fmt', '--check'], directory);
    return { status, error, written, checks: [checked.status, unformatted.status] };
  });
}

test('svc add wsdl: a server, types and flows as a person writes them, and what no configuration says', async () => {
  const { status, error, written, checks } = await added(wsdl);
  expect([status, ...checks]).toEqual([0, 0, 0]);
  expect(written).toEqual({
    'connectors/erp.hcl': `connector "erp" {
  type         = "soap"
  port         = env("ERP_PORT", "8081")
  namespace    = "http://erp.example.org/orders"
  element_form = "qualified"
}
`,
    'flows/place_order.hcl': `# Places an order.
# It is not sent yet.
flow "place_order" {
  from {
    connector = "erp"
    operation = "PlaceOrder"
  }
  validate {
    input  = "PlaceOrder"
    output = "PlaceOrderResponse"
  }
  # TODO: what it does and answers: step, transform, to, response (PlaceOrderResponse)
}
`,
    'flows/ping.hcl': `flow "ping" {
  from {
    connector = "erp"
    operation = "Ping"
  }
  # TODO: what it does and answers: step, transform, to, response (nothing)
}
`,
    'types/PlaceOrder.hcl': `type "PlaceOrder" {
  customer = "Company"
  due      = string({ format = "date", required = false, description = "When it is needed." })
  line     = array({ items = "Line", min_length = 1 })
  card     = string({ required = false })
  iban     = string({ required = false })
}
`,
    'types/PlaceOrderResponse.hcl': `type "PlaceOrderResponse" {
  id    = integer
  state = string({ enum = ["open", "sent"] })
}
`,
    'types/Company.hcl': `type "Company" {
  name   = string
  vat    = string
  parent = object({ required = false })
}
`,
    'types/Line.hcl': `type "Line" {
  _description = "One line of an order."
  sku          = string({ pattern = "^(?:[A-Z]{2}\\\\d+)$", max_length = 20 })
  quantity     = integer({ min = 1 })
  price        = number({ required = false })
}
`,
  });
  const apart = 'its elements are of http://erp.example.org/data, and those in answers of the namespace of the service';
  expect(error.split('\n')).toEqual([
    'not translated: binding OrdersHttp: it is not of SOAP',
    'not translated: operation PlaceOrder: its header is neither read nor written',
    'not translated: operation PlaceOrder: the details of its faults (sold_out) are those of svc',
    `not translated: Company: ${apart}`,
    'not translated: Company.parent: a Company that may be absent is an object whose fields no type checks',
    `not translated: Line: ${apart}`,
    'not translated: Line: attributes are passed over',
    'not translated: PlaceOrder: how many alternatives of a choice are there is not checked',
    'not translated: PlaceOrder: further elements (xs:any) are not checked in requests and left out of answers',
    'not translated: operation Ping: it is answered with the element PingResponse, not Pong',
    '',
  ]);
});

test('the WSDL of a service of svc becomes the same operations and types, and nothing is left', async () => {
  const own = `${service}
connector "api" {
  type         = "soap"
  port         = 8081
  soap_version = "1.2"
  namespace    = "http://example.org/orders"
}
type "line" {
  sku      = string
  quantity = integer
  state    = string({ enum = ["open", "sent"], required = false })
}
type "order" {
  customer = string({ description = "Who pays." })
  lines    = array({ items = "line" })
  total    = number({ required = false })
}
type "placed" {
  id = string
  ok = boolean
}
flow "place" {
  from {
    connector = "api"
    operation = "PlaceOrder"
  }
  validate {
    input = "order"
  }
}
flow "place_many" {
  from {
    connector = "api"
    operation = "PlaceMany"
  }
}
`;
  const { out } = await inDirectory({ 'service.hcl': own }, (directory) => typed(['export', 'wsdl'], directory));
  const { status, error, written, checks } = await added(out);
  expect({ status, checks }).toEqual({ status: 0, checks: [0, 0] });
  expect(written['connectors/erp.hcl']).toContain('soap_version = "1.2"');
  expect(written['types/PlaceOrder.hcl']).toBe(`type "PlaceOrder" {
  customer = string({ description = "Who pays." })
  lines    = array({ items = "line", required = false })
  total    = number({ required = false })
}
`);
  expect(written['types/line.hcl']).toBe(`type "line" {
  sku      = string
  quantity = integer
  state    = string({ enum = ["open", "sent"], required = false })
}
`);
  expect(Object.keys(written)).toEqual(expect.arrayContaining(['flows/place_order.hcl', 'flows/place_many.hcl']));
  // Content that no type describes stays open.
  expect(error).toMatch(/^(?:not translated: Place\w+: further elements \(xs:any\)[^\n]*\n)*$/);
});

test('schemas in files beside it are read; those that would be fetched are named', async () => {
  const types = /<wsdl:types>[\s\S]*<\/wsdl:types>/.exec(wsdl)?.[0] ?? '';
  const [data = '', orders = ''] = types.match(/<xs:schema[\s\S]*?<\/xs:schema>/g) ?? [];
  const declared = (text: string) =>
    text.replace(
      '<xs:schema',
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:d="http://erp.example.org/data"',
    );
  const imports = (more: string) =>
    wsdl.replace(
      types,
      `<wsdl:types><xs:schema><xs:import schemaLocation="xsd/orders.xsd"/>${more}</xs:schema></wsdl:types>`,
    );
  const files = {
    'xsd/orders.xsd': declared(orders).replace('data"/>', 'data" schemaLocation="data.xsd"/>'),
    'xsd/data.xsd': declared(data),
  };
  const whole = await added(wsdl);
  const apart = await added(imports(''), files);
  expect(apart).toEqual(whole);
  const remote = await added(imports('<xs:import schemaLocation="http://erp.example.org/more.xsd"/>'), files);
  expect(remote.error.split('\n')[0]).toBe(
    'not translated: import of http://erp.example.org/more.xsd in erp.wsdl: nothing is fetched; save it beside erp.wsdl, and write its path relative to that',
  );
  const away = await added(imports(''));
  expect([away.status, away.written, away.error]).toEqual([
    1,
    {},
    'svc add: erp.wsdl: of what it imports, "xsd/orders.xsd" cannot be read: it does not exist; nothing was written\n',
  ]);
});

test('an operation of parts (rpc/literal) has a type of its parts; one that is encoded is named', async () => {
  const rpc = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:stock" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:stock">
  <message name="in"><part name="sku" type="x:string"/><part name="amount" type="x:unsignedInt"/></message>
  <message name="out"><part name="left" type="x:int"/></message>
  <portType name="p">
    <operation name="Take"><input message="t:in"/><output message="t:out"/></operation>
    <operation name="Old"><input message="t:in"/><output message="t:out"/></operation>
    <operation name="Tell"><output message="t:out"/></operation>
  </portType>
  <binding name="b" type="t:p"><s:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Take"><input><s:body use="literal" namespace="urn:stock"/></input><output><s:body use="literal"/></output></operation>
    <operation name="Old"><input><s:body use="encoded"/></input></operation>
    <operation name="Tell"/>
  </binding>
</definitions>`;
  const { status, error, written, checks } = await added(rpc);
  expect([status, ...checks]).toEqual([0, 0, 0]);
  expect(written['types/Take.hcl']).toBe('type "Take" {\n  sku    = string\n  amount = integer({ min = 0 })\n}\n');
  expect(written['types/TakeResponse.hcl']).toBe('type "TakeResponse" {\n  left = integer\n}\n');
  expect(Object.keys(written).filter((path) => path.startsWith('flows'))).toEqual(['flows/take.hcl']);
  expect(error.split('\n')).toEqual([
    'not translated: operation Old: its messages are encoded (use="encoded")',
    'not translated: operation Tell: the service calls it, and is not called (it has no input)',
    '',
  ]);
});

describe('nothing is written', () => {
  const of = (inside: string) => `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/">${inside}</definitions>`;
  test.each([
    ['for what is not XML', '<a>\n<b></a>', 'erp.wsdl:2: it is not valid XML: unexpected close tag'],
    ['S-57: for a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a/>', 'document types and entities are not accepted'],
    ['for a prefix that nothing declares', '<a:b/>', 'has a prefix that nothing declares'],
    [
      'for WSDL 2.0',
      '<description xmlns="http://www.w3.org/ns/wsdl"/>',
      'erp.wsdl: it is a WSDL 2.0 document, and WSDL 1.1 is read',
    ],
    ['for another document', '<html/>', 'erp.wsdl: its root is html, not the definitions of a WSDL 1.1 document'],
    ['for a service without SOAP', of('<binding name="b"/>'), 'erp.wsdl: it has no binding of SOAP'],
    ['for an empty file', '', 'erp.wsdl'],
  ])('%s', async (_what, text, says) => {
    const { status, error, written } = await added(text);
    expect([status, written]).toEqual([1, {}]);
    expect(error).toContain(says);
    expect(error).toContain('nothing was written');
  });

  test('over a type that is there', async () => {
    const { status, error } = await added(wsdl, { 'a.hcl': 'type "Line" {\n  a = string\n}\n' });
    expect({ status, error }).toEqual({
      status: 1,
      error: 'svc add: there is a type "Line" already; nothing was written\n',
    });
  });
});
