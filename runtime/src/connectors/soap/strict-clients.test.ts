import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { ordersService } from './testing/orders-service.ts';
import { askProgram } from './testing/program.ts';
import { envelope, soap12 } from './testing/served.ts';

const zeep = process.env['TEST_ZEEP'];
const php = process.env['TEST_PHP'];
const xmllint = process.env['TEST_XMLLINT'];
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function scriptOf(name: string, text: string): string {
  const folder = folderWith({ [name]: text });
  folders.push(folder);
  return join(folder, name);
}

const zeepCalls = `
import json, sys, zeep
from zeep import Client, Settings
from zeep.helpers import serialize_object
from zeep.wsse.username import UsernameToken
client = Client(sys.argv[1], settings=Settings(strict=True, xml_huge_tree=False))
def outcome(call):
    try:
        answer = serialize_object(call(), dict)
        return {**answer, "id": str(answer["id"])}
    except zeep.exceptions.Fault as fault:
        return {"fault": fault.code, "text": fault.message, "subcodes": [str(code) for code in (fault.subcodes or [])]}
order = outcome(lambda: client.service.CreateOrder(customer="ada", express=True, lines=[
    {"sku": "a<b", "quantity": 2}, {"sku": "c", "quantity": 10**20}], tags=["x", "y"]))
single = outcome(lambda: client.service.CreateOrder(customer="bob", lines=[{"sku": "one", "quantity": 1}]))
refused = outcome(lambda: client.service.CreateOrder(customer="bob", lines=[{"sku": "one", "quantity": 0}]))
print(json.dumps([order, single, refused], default=str))
`;

const zeepTokens = `
import json, sys, zeep
from zeep import Client
from zeep.wsse.username import UsernameToken
def who(token):
    try:
        return Client(sys.argv[1], wsse=token).service.Who()[0].text
    except zeep.exceptions.Fault as fault:
        return fault.code
print(json.dumps([
    who(UsernameToken("ada", "first secret", use_digest=True)),
    who(UsernameToken("ada", "first secret")),
    who(UsernameToken("ada", "wrong", use_digest=True)),
    who(None),
]))
`;

const line = (sku: string, quantity: number | string) => ({ sku, quantity });

describe.each(['1.1', '1.2'])('SOAP %s', (version) => {
  test.skipIf(zeep === undefined)(
    'a strict client reads the WSDL, calls, and gets typed answers and faults',
    async () => {
      const service = await ordersService(`soap_version = "${version}"`);
      try {
        const answers = await askProgram(zeep as string, [scriptOf('calls.py', zeepCalls), `${service.address}/wsdl`]);
        const common = { id: '9007199254740993', note: null, items: null };
        expect(answers).toEqual([
          {
            ...common,
            customer: 'ada',
            total: 5,
            express: true,
            lines: [line('a<b', 2), line('c', 1e20)],
            tags: ['x', 'y'],
          },
          { ...common, customer: 'bob', total: 2.5, express: false, lines: [line('one', 1)], tags: null },
          {
            fault: version === '1.1' ? 'soap:Client' : 'soap:Sender',
            text: expect.stringContaining('lines[0].quantity'),
            subcodes: [],
          },
        ]);
      } finally {
        await service.stop();
      }
    },
  );

  test.skipIf(zeep === undefined)('user name tokens of another maker are taken, digest and text', async () => {
    const service = await ordersService(
      `soap_version = "${version}"\nsecurity {\n  users = { ada = "first secret" }\n}`,
    );
    try {
      const answers = await askProgram(zeep as string, [scriptOf('tokens.py', zeepTokens), `${service.address}/?wsdl`]);
      const fault = version === '1.1' ? 'wsse:' : 'soap:Sender';
      expect(answers).toEqual(['ada', 'ada', expect.stringContaining(fault), expect.stringContaining(fault)]);
    } finally {
      await service.stop();
    }
  });

  test.skipIf(php === undefined)('the client of PHP reads the WSDL and calls', async () => {
    const service = await ordersService(`soap_version = "${version}"`);
    const script = scriptOf(
      'calls.php',
      `<?php
ini_set('soap.wsdl_cache_enabled', '0');
$client = new SoapClient($argv[1], ['soap_version' => ${version === '1.1' ? 'SOAP_1_1' : 'SOAP_1_2'}]);
$order = $client->CreateOrder(['customer' => 'ada', 'lines' => [['sku' => 'a<b', 'quantity' => 2]]]);
try { $client->CreateOrder(['customer' => 'ada', 'lines' => [['sku' => 'a', 'quantity' => 0]]]); $fault = null; }
catch (SoapFault $error) { $fault = [$error->faultcode, $error->faultstring]; }
$bare = new SoapClient(null, ['location' => dirname($argv[1]) . '/any/path', 'uri' => 'http://example.org/orders',
  'soap_version' => ${version === '1.1' ? 'SOAP_1_1' : 'SOAP_1_2'}, 'use' => SOAP_LITERAL]);
$echo = $bare->__soapCall('Echo', [new SoapParam('two words', 'text')]);
try { $bare->Missing(); $missing = null; } catch (SoapFault $error) { $missing = $error->getMessage(); }
echo json_encode([$order, $fault, $echo, $missing]);
`,
    );
    try {
      const [order, fault, echo, missing] = (await askProgram(php as string, [script, `${service.address}/wsdl`])) as [
        object,
        [string, string],
        unknown,
        string,
      ];
      expect(order).toMatchObject({ customer: 'ada', total: 5, express: false });
      expect(fault).toEqual([expect.stringMatching(/Client|Sender/), expect.stringContaining('lines[0].quantity')]);
      expect(echo).toEqual({ text: 'two words', words: ['two', 'words'] });
      expect(missing).toBe('Unknown operation: Missing');
    } finally {
      await service.stop();
    }
  });

  const forms = [
    ['unqualified', 'o:CreateOrder xmlns:o'],
    ['qualified', 'CreateOrder xmlns'],
  ] as const;
  test.skipIf(xmllint === undefined).each(forms)(
    '%s answers and requests are valid by the schema of the WSDL',
    async (form, begin) => {
      const service = await ordersService(`soap_version = "${version}"\n  element_form = "${form}"`);
      try {
        const wsdl = await (await fetch(`${service.address}/orders?WSDL`)).text();
        expect(wsdl).toContain(`location="${service.address}/orders"`);
        const [schema = ''] = /<xs:schema[\s\S]*?<\/xs:schema>/.exec(wsdl) ?? [];
        const declared = schema.replace(
          '<xs:schema',
          '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:tns="http://example.org/orders"',
        );
        const content = `<${begin}="http://example.org/orders"><customer>ada</customer><lines><sku>a</sku><quantity>3</quantity></lines></${begin.split(' ', 1)[0]}>`;
        const response = await fetch(service.address, {
          method: 'POST',
          headers: { 'content-type': version === '1.1' ? 'text/xml' : 'application/soap+xml' },
          body: version === '1.1' ? envelope(content) : envelope(content, '', soap12),
        });
        const [, body = ''] = /<soap:Body>([\s\S]*)<\/soap:Body>/.exec(await response.text()) ?? [];
        const files = {
          'schema.xsd': declared,
          'request.xml': content,
          'answer.xml': body,
          'wrong.xml': content.replace('ada', 'eve'),
        };
        const folder = folderWith(files);
        folders.push(folder);
        const check = (name: string) =>
          promisify(execFile)(xmllint as string, ['--noout', '--nonet', '--schema', 'schema.xsd', name], {
            cwd: folder,
          }).then(
            ({ stderr }) => stderr.trim(),
            ({ stderr }: { stderr: string }) => stderr,
          );
        expect(await check('request.xml')).toBe('request.xml validates');
        expect(await check('answer.xml')).toBe('answer.xml validates');
        expect(await check('wrong.xml')).toContain("is not an element of the set {'ada', 'bob'}");
      } finally {
        await service.stop();
      }
    },
  );
});
