import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inDirectory, typed } from '../testing/typed.ts';

/** Fewer than those of `allOf` and alternatives in each other that are read. */
const levels = 24;
const at = (index: number) => ({ $ref: `#/components/schemas/S${index}` });
const leaf = { type: 'object', properties: { x: { type: 'string' } } };

/** Each of many schemas has the next one twice. */
function openApi(twice: (next: object) => object): string {
  const schemas = Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, index) => [`S${index}`, index === levels ? leaf : twice(at(index + 1))]),
  );
  const content = { 'application/json': { schema: at(0) } };
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 't', version: '1' },
    paths: { '/a': { post: { requestBody: { content }, responses: { 200: { description: '', content } } } } },
    components: { schemas },
  });
}

/** A description of SOAP whose one message is what `parts` calls `Req`. */
const wsdl = (parts: string) => `<?xml version="1.0"?>
<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
  <types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">${parts}</xs:schema></types>
  <message name="In"><part name="p" element="t:Req"/></message>
  <portType name="P"><operation name="a"><input message="t:In"/><output message="t:In"/></operation></portType>
  <binding name="B" type="t:P"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="a"><soap:operation soapAction="a"/><input><soap:body use="literal"/></input>
    <output><soap:body use="literal"/></output></operation></binding>
  <service name="S"><port name="P" binding="t:B"><soap:address location="http://x/"/></port></service>
</definitions>`;

const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join('');
const request = (content: string) => `<xs:element name="Req"><xs:complexType>${content}</xs:complexType></xs:element>`;
const lastGroup = `<xs:group name="G22"><xs:sequence><xs:element name="x" type="xs:string"/></xs:sequence></xs:group>`;

/** The types that are written of a contract, without their layout. */
async function typesOf(word: string, file: string, text: string) {
  return inDirectory({ 'service.hcl': 'service {\n  name = "shop"\n}\n', [file]: text }, async (directory) => {
    const { status, error } = await typed(['add', word, file, '--connector', 'made'], directory);
    const { error: said } = await typed(['validate', '--contract', file], directory);
    const paths = readdirSync(join(directory, 'types'));
    const texts = paths.map((path) =>
      readFileSync(join(directory, 'types', path), 'utf8')
        .replace(/\s+/g, ' ')
        .trim(),
    );
    return { status, error, said, texts: texts.sort() };
  });
}

describe('what a contract repeats is read once', () => {
  test.each([
    ['allOf', (next: object) => ({ allOf: [next, next] })],
    ['allOf within anyOf', (next: object) => ({ allOf: [next, { anyOf: [next] }] })],
    ['allOf within oneOf', (next: object) => ({ oneOf: [{ allOf: [next, next] }] })],
  ])('OpenAPI: %s', async (_, twice) => {
    const { status, error, texts } = await typesOf('openapi', 'd.json', openApi(twice));
    expect([status, texts.at(-1)]).toEqual([
      0,
      expect.stringMatching(/^type "\w+" \{ x = string\(\{ required = false \}\) \}$/),
    ]);
    expect(error).not.toContain('repeat');
  });

  test.each([
    ['properties', (next: object) => ({ properties: { a: next, b: next } }), levels + 1],
    ['items', (next: object) => ({ properties: { a: { type: 'array', items: { allOf: [next, next] } } } }), levels + 1],
    ['additionalProperties', (next: object) => ({ allOf: [next, next], additionalProperties: next }), 1],
  ])('OpenAPI: %s', async (_, twice, count) => {
    const { status, texts } = await typesOf('openapi', 'd.json', openApi(twice));
    expect([status, texts.length]).toEqual([0, count]);
  });

  test('OpenAPI: aliases of YAML', async () => {
    const lines = many(2, (i) => `  l${i + 1}: &l${i + 1} {allOf: [*l${i}, *l${i}]}\n`);
    const text = `openapi: 3.0.3
info: {title: t, version: "1"}
x-parts:
  l0: &l0 {type: object, properties: {x: {type: string}}}
${lines}paths:
  /a: {post: {requestBody: {content: {application/json: {schema: *l2}}}, responses: {"200": {description: ""}}}}
`;
    const { status, texts } = await typesOf('openapi', 'd.yaml', text);
    expect([status, texts]).toEqual([0, ['type "PostAInput" { x = string({ required = false }) }']]);
  });

  const group = (i: number) => `<xs:group ref="t:G${i}"/>`;
  test.each([
    [
      'groups',
      `${many(22, (i) => `<xs:group name="G${i}"><xs:sequence>${group(i + 1)}${group(i + 1)}</xs:sequence></xs:group>`)}${lastGroup}${request(group(0))}`,
      'type "Req" { x = string }',
    ],
    [
      'groups in choices',
      `${many(22, (i) => `<xs:group name="G${i}"><xs:choice>${group(i + 1)}<xs:sequence>${group(i + 1)}</xs:sequence></xs:choice></xs:group>`)}${lastGroup}${request(group(0))}`,
      'type "Req" { x = string({ required = false }) }',
    ],
    [
      'extension and groups',
      `${many(22, (i) => `<xs:complexType name="T${i}"><xs:complexContent><xs:extension base="t:T${i + 1}">${group(22)}</xs:extension></xs:complexContent></xs:complexType>`)}<xs:complexType name="T22">${group(22)}</xs:complexType>${lastGroup}<xs:element name="Req" type="t:T0"/>`,
      'type "T0" { x = string }',
    ],
  ])('WSDL: %s', async (_, parts, text) => {
    const { status, texts, said } = await typesOf('wsdl', 'd.wsdl', wsdl(parts));
    expect([status, texts]).toEqual([0, [text]]);
    expect(said).not.toContain('more groups');
  });
});
