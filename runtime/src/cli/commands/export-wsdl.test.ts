import { expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

const server = (name: string, more = '') => `connector "${name}" {\n  type = "soap"\n  port = 8081\n  ${more}\n}\n`;
const client = 'connector "erp" {\n  type     = "soap"\n  endpoint = "http://127.0.0.1:1/"\n}\n';
const flow = (connector: string) =>
  `flow "put" {\n  from {\n    connector = "${connector}"\n    operation = "Put"\n  }\n  validate {\n    input = "product"\n  }\n  response {\n    id = "'1'"\n  }\n}\n`;
const type = 'type "product" {\n  id   = id\n  name = string({ required = false })\n}\n';

const exported = (text: string, words: readonly string[] = []) =>
  inDirectory({ 'main.hcl': text }, (directory) => typed(['export', 'wsdl', ...words], directory));

test('the WSDL that a server publishes is written, and clients beside it are left out', async () => {
  const written = server('api', 'namespace = "urn:products"');
  const { status, out, error } = await exported(`${written}${client}${type}${flow('api')}`);
  expect({ status, error }).toEqual({ status: 0, error: '' });
  expect(out).toContain('<wsdl:definitions name="Service" targetNamespace="urn:products"');
  expect(out).toContain('<xs:element name="name" type="xs:string" minOccurs="0" nillable="true"/>');
  expect(out).toContain('<soap:operation soapAction="urn:products/Put" style="document"/>');
  expect(out).toContain('<soap:address location="http://localhost:8081/"/>');
});

test.each([
  ['no server', client, [], 'no connector of type soap serves flows here'],
  [
    'an option of another description',
    `${server('api')}${type}${flow('api')}`,
    ['--base-url', 'http://x'],
    '--base-url does not belong to wsdl',
  ],
])('%s is said', async (_what, text, words, says) => {
  const result = await exported(text, words);
  expect([result.status, result.out]).toEqual([2, '']);
  expect(result.error).toContain(says);
});
