import { describe, expect, test } from 'vitest';
import type { DeclaredType } from '../../../foundation/contracts/types.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { bodyOf, echo, envelope, reply, servedSoap, soap12 } from '../testing/served.ts';

const fault = (code: string, text: string, more = '') =>
  `<soap:Fault><faultcode>${code}</faultcode><faultstring>${text}</faultstring>${more}</soap:Fault>`;
const detail = (code: string) =>
  `<detail><f:failure xmlns:f="urn:svc:failure"><f:code>${code}</f:code></f:failure></detail>`;

describe('requests', () => {
  test('the element in the body names the operation, its children are the input; any path and prefix does', async () => {
    const seen: unknown[] = [];
    await using server = await servedSoap({
      GetOrder: ({ input }) => {
        seen.push(JSON.parse(JSON.stringify(input)));
        return reply({ id: 7, lines: [{ sku: 'a' }, { sku: 'b' }], note: null, text: 'a<b&c' });
      },
    });
    const bodies = [
      '<GetOrder><id>7</id><empty/><line>1</line><line>2</line><deep><a>x</a>mixed</deep></GetOrder>',
      '<x:GetOrder xmlns:x="urn:any"><x:id a="ignored">7</x:id><cdata><![CDATA[ <b> ]]></cdata></x:GetOrder>',
      '<GetOrderResponse xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><id xsi:nil="true"/></GetOrderResponse>',
    ];
    for (const [at, body] of bodies.entries()) {
      const answer = await server.post(envelope(body), {}, ['/', '/orders', '/a/b/c'][at]);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/xml; charset=utf-8']);
      expect(bodyOf(answer.text)).toBe(
        '<ns:GetOrderResponse xmlns:ns="http://tempuri.org/"><id>7</id><lines><sku>a</sku></lines><lines><sku>b</sku></lines><note/><text>a&lt;b&amp;c</text></ns:GetOrderResponse>',
      );
    }
    expect(seen).toEqual([
      { id: '7', empty: '', line: ['1', '2'], deep: { a: 'x', '#text': 'mixed' } },
      { id: '7', cdata: ' <b> ' },
      { id: null },
    ]);
    expect(server.finished).toEqual(['POST / 200', 'POST /* 200', 'POST /* 200']);
  });

  test('lists are `items`, scalars `result`; a status and headers of the answer are sent', async () => {
    await using server = await servedSoap(
      {
        List: () => reply([{ a: 1 }, { a: 2 }]),
        Scalar: () => reply(42),
        Nothing: () => reply(null),
        Made: () => reply({ ok: true }, { status: 201, headers: { 'x-made': 'yes', 'content-type': 'text/html' } }),
      },
      { config: { namespace: 'urn:x' } },
    );
    const answers: unknown[] = [];
    for (const name of ['List', 'Scalar', 'Nothing', 'Made']) {
      const { status, text, headers } = await server.post(envelope(`<${name}/>`));
      answers.push([status, bodyOf(text), headers['x-made'], headers['content-type']]);
    }
    const xml = 'text/xml; charset=utf-8';
    expect(answers).toEqual([
      [
        200,
        '<ns:ListResponse xmlns:ns="urn:x"><items><a>1</a></items><items><a>2</a></items></ns:ListResponse>',
        undefined,
        xml,
      ],
      [200, '<ns:ScalarResponse xmlns:ns="urn:x"><result>42</result></ns:ScalarResponse>', undefined, xml],
      [200, '<ns:NothingResponse xmlns:ns="urn:x"/>', undefined, xml],
      [201, '<ns:MadeResponse xmlns:ns="urn:x"><ok>true</ok></ns:MadeResponse>', 'yes', xml],
    ]);
  });

  test.each([
    ['unqualified', '<ns:ListResponse xmlns:ns="urn:x"><items><a>1</a></items></ns:ListResponse>'],
    ['qualified', '<ListResponse xmlns="urn:x"><items><a>1</a></items></ListResponse>'],
  ])(
    '`element_form = "%s"` decides about the namespace of what is in an answer, and the WSDL says it',
    async (form, body) => {
      await using server = await servedSoap(
        { List: () => reply([{ a: 1 }]) },
        { config: { namespace: 'urn:x', element_form: form } },
      );
      expect(bodyOf((await server.post(envelope('<List/>'))).text)).toBe(body);
      expect((await server.ask('/wsdl')).text).toContain(`elementFormDefault="${form}"`);
    },
  );

  test('bodies come in the character set that they say, UTF-16 and Latin-1 among them', async () => {
    await using server = await servedSoap({ Echo: echo });
    const text = envelope('<Echo><text>Grüße</text></Echo>');
    const bodies: [Uint8Array, string][] = [
      [Buffer.from(text), 'text/xml; charset=UTF-8'],
      [Buffer.from(text, 'latin1'), 'text/xml; charset=iso-8859-1'],
      [Buffer.from(text.replace('?>', ' encoding="ISO-8859-1"?>'), 'latin1'), 'text/xml'],
      [Buffer.from(`\ufeff${text}`, 'utf16le'), 'text/xml'],
      [Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'text/xml'],
    ];
    for (const [body, type] of bodies)
      expect(bodyOf((await server.post(body, { 'content-type': type })).text)).toContain('<text>Grüße</text>');
    const wrong = await server.post(Buffer.from(text, 'latin1'));
    expect([wrong.status, bodyOf(wrong.text)]).toEqual([500, expect.stringContaining('is not valid UTF-8')]);
  });
});

describe('faults', () => {
  test('what is wrong with a request is a fault of the client, what fails here of the server', async () => {
    await using server = await servedSoap({
      Fails: () => {
        throw new Failure('connector_failed', 'the database said no');
      },
      Refused: async () => {
        throw new Failure('input_invalid', 'price: must be a number', {
          fields: [{ field: 'price', code: 'type_mismatch', message: 'must be a number' }],
        });
      },
    });
    const answers: unknown[] = [];
    for (const body of [
      envelope('<Fails/>'),
      envelope('<Refused/>'),
      envelope('<Other/>'),
      '<a>',
      'text',
      envelope(''),
    ])
      answers.push(await server.post(body).then(({ status, text }) => [status, bodyOf(text)]));
    expect(answers).toEqual([
      [500, fault('soap:Server', 'the database said no', detail('connector_failed'))],
      [
        500,
        fault(
          'soap:Client',
          'price: must be a number',
          '<detail><f:failure xmlns:f="urn:svc:failure"><f:code>input_invalid</f:code><f:field><f:name>price</f:name><f:code>type_mismatch</f:code><f:message>must be a number</f:message></f:field></f:failure></detail>',
        ),
      ],
      [500, fault('soap:Client', 'Unknown operation: Other', detail('not_found'))],
      [
        500,
        expect.stringMatching(/^<soap:Fault><faultcode>soap:Client<\/faultcode><faultstring>Invalid SOAP envelope: /),
      ],
      [
        500,
        expect.stringMatching(/^<soap:Fault><faultcode>soap:Client<\/faultcode><faultstring>Invalid SOAP envelope: /),
      ],
      [500, fault('soap:Client', 'the body has no element')],
    ]);
  });

  test('in SOAP 1.2 they have code, reason and detail, and the types of that version', async () => {
    await using server = await servedSoap(
      {
        Fails: () => {
          throw new Failure('connector_failed', 'no');
        },
      },
      { config: { soap_version: '1.2' } },
    );
    const type = { 'content-type': 'application/soap+xml; charset=utf-8; action="urn:x"' };
    const { status, text, headers } = await server.post(envelope('<Fails/>', '', soap12), type);
    expect([status, headers['content-type'], bodyOf(text)]).toEqual([
      500,
      'application/soap+xml; charset=utf-8',
      '<soap:Fault><soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">no</soap:Text></soap:Reason><soap:Detail><f:failure xmlns:f="urn:svc:failure"><f:code>connector_failed</f:code></f:failure></soap:Detail></soap:Fault>',
    ]);
    const other = await server.post(envelope('<Fails/>'), type);
    expect(bodyOf(other.text)).toContain('<soap:Value>soap:VersionMismatch</soap:Value>');
    expect(bodyOf((await server.post(envelope('<Nope/>', '', soap12), type)).text)).toContain('soap:Sender');
  });

  test('another version, headers that must be understood, attachments and other types are refused by name', async () => {
    await using server = await servedSoap({ Echo: echo });
    const header = '<t:Tx xmlns:t="urn:t" s:mustUnderstand="1">5</t:Tx>';
    const faultOf = async (body: string) => bodyOf((await server.post(body)).text);
    expect([
      await faultOf(envelope('<Echo/>', '', soap12)),
      await faultOf(envelope('<Echo/>', '', 'urn:other')),
      await faultOf(envelope('<Echo/>', header)),
      await faultOf(envelope('<Echo/>', header.replace('"1"', '"1" s:actor="http://elsewhere.example"'))),
      await faultOf(envelope('<Echo><a><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include"/></a></Echo>')),
    ]).toEqual([
      fault('soap:VersionMismatch', 'SOAP 1.1 is served, not 1.2'),
      fault('soap:VersionMismatch', 'the envelope is of a version of SOAP that is not served'),
      fault('soap:MustUnderstand', 'the header Tx is not understood'),
      '<ns:EchoResponse xmlns:ns="http://tempuri.org/"/>',
      expect.stringContaining('attachments (xop:Include of MTOM) are not accepted'),
    ]);
    const refused: unknown[] = [];
    for (const type of [
      'application/json',
      'application/soap+xml',
      'multipart/related; type="application/xop+xml"',
      'x',
    ])
      refused.push(
        await server
          .post(envelope('<Echo/>'), { 'content-type': type })
          .then(({ status, text }) => [status, bodyOf(text)]),
      );
    const unsupported = (text: string) => [
      415,
      expect.stringMatching(
        new RegExp(
          `^<soap:Fault><faultcode>soap:Client<.*${text.replaceAll(/[.*+?()]/g, '.')}.*<f:code>media_type_unsupported<`,
        ),
      ),
    ];
    expect(refused).toEqual([
      unsupported('a body of type application/json is not accepted; SOAP 1.1 is sent as text/xml'),
      unsupported('a body of type application/soap+xml is not accepted'),
      unsupported('attachments (MTOM, multipart/related) are not accepted'),
      unsupported('malformed'),
    ]);
  });

  test('S-11: in production what fails here has an id and nothing else', async () => {
    await using server = await servedSoap(
      {
        Fails: () => {
          throw new Failure('connector_failed', 'SELECT secret FROM /var/lib at db.internal');
        },
        Refused: () => {
          throw new Failure('input_invalid', 'price: is required');
        },
      },
      { services: { production: true } },
    );
    const { text } = await server.post(envelope('<Fails/>'));
    expect(bodyOf(text)).toMatch(
      /^<soap:Fault><faultcode>soap:Server<\/faultcode><faultstring>Internal Server Error<\/faultstring><detail><f:failure xmlns:f="urn:svc:failure"><f:request_id>[0-9a-f-]{36}<\/f:request_id><\/f:failure><\/detail><\/soap:Fault>$/,
    );
    const [, id] = /<f:request_id>(.*?)</.exec(text) ?? [];
    expect(server.lines).toContainEqual(
      expect.objectContaining({ message: 'request failed', fields: expect.objectContaining({ request_id: id }) }),
    );
    expect(bodyOf((await server.post(envelope('<Refused/>'))).text)).toContain('price: is required');
  });
});

const field = (name: string, shape: DeclaredType['fields'][number]['shape'], more: object = {}) =>
  ({ name, shape, constraints: { required: true, ...more } }) as DeclaredType['fields'][number];
const types = [
  {
    name: 'order',
    description: undefined,
    federation: { keys: [], shareable: false, inaccessible: false, implements: [] },
    fields: [
      field('count', { kind: 'integer' }),
      field('price', { kind: 'number' }),
      field('open', { kind: 'boolean' }),
      field('tags', { kind: 'array' }, { items: 'string' }),
      field('lines', { kind: 'array' }, { items: 'order', required: false }),
      field('place', { kind: 'fields', fields: [field('zip', { kind: 'string' })] }, { required: false }),
    ],
  },
] as readonly DeclaredType[];

test('texts become what the type of the message says, and answers have the order of theirs', async () => {
  const seen: unknown[] = [];
  await using server = await servedSoap(
    {
      Put: ({ input }) => {
        seen.push(JSON.parse(JSON.stringify(input, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))));
        return reply({ extra: 1, place: null, tags: [], open: false, price: 1.5, count: 1n });
      },
    },
    { bound: { validates: { input: 'order', output: 'order' } }, declared: { types, sent: [] } },
  );
  const { text } = await server.post(
    envelope(
      '<Put><count>12345678901234567890</count><price> 1.50 </price><open>1</open><tags>a</tags><lines><count>x</count><price>1e400</price></lines><place><zip>007</zip></place></Put>',
    ),
  );
  await server.post(envelope('<Put/>'));
  expect(seen).toEqual([
    {
      count: '12345678901234567890n',
      price: 1.5,
      open: true,
      tags: ['a'],
      lines: [{ count: 'x', price: '1e400', tags: [], lines: [] }],
      place: { zip: '007' },
    },
    { tags: [], lines: [] },
  ]);
  expect(bodyOf(text)).toBe(
    '<ns:PutResponse xmlns:ns="http://tempuri.org/"><count>1</count><price>1.5</price><open>false</open><place xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/></ns:PutResponse>',
  );
});

test('the WSDL names the address that is written, else the one that its caller used', async () => {
  await using written = await servedSoap({ Echo: echo }, { config: { address: 'https://soap.example.org/x' } });
  await using server = await servedSoap({ Echo: echo }, { config: { namespace: 'urn:x', soap_version: '1.2' } });
  const at = async (path: string) => /location="([^"]*)"/.exec((await server.ask(path)).text)?.[1];
  expect((await written.ask('/wsdl')).text).toContain('<soap:address location="https://soap.example.org/x"/>');
  expect([await at('/wsdl'), await at('/?wsdl'), await at('/a/b?WSDL')]).toEqual([
    `${server.url}/`,
    `${server.url}/`,
    `${server.url}/a/b`,
  ]);
  const hostile = await server.raw('GET /wsdl HTTP/1.1\r\nHost: "><x>\r\nConnection: close\r\n\r\n');
  expect(hostile).not.toContain('<x>');
  const { status, headers, json } = await server.ask('/a');
  expect([status, headers['allow'], json]).toEqual([
    405,
    'OPTIONS, POST',
    expect.objectContaining({ code: 'method_not_allowed' }),
  ]);
});

test('of several flows on one operation the first answers, the others run beside it', async () => {
  const seen: string[] = [];
  const beside = () => {
    seen.push('beside');
    return reply({ first: false });
  };
  await using server = await servedSoap({ Echo: () => reply({}), ' Echo ': beside });
  expect(bodyOf((await server.post(envelope('<Echo/>'))).text)).toBe(
    '<ns:EchoResponse xmlns:ns="http://tempuri.org/"/>',
  );
  await expect.poll(() => seen).toEqual(['beside']);
});
