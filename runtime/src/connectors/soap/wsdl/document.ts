import { failureNamespace } from '../../../platform/formats/wsdl/failure-namespace.ts';
import { encodeXml } from '../../../platform/formats/xml/encode.ts';
import { actionOf, type SoapVersion } from '../envelope/version.ts';
import { failureSchema } from './failure-schema.ts';
import { namedTypes, requestElement, responseElement } from './schema.ts';
import type { TypeShapes } from './shapes.ts';

/** An operation that a WSDL describes. */
export interface DescribedOperation {
  readonly name: string;
  /** Names of the types of its message and of its answer; undefined: any content. */
  readonly input: string | undefined;
  readonly output: string | undefined;
}

/** What a service says of itself. */
export interface DescribedService {
  readonly version: SoapVersion;
  readonly namespace: string;
  /** Whether the elements inside those of messages have the namespace. */
  readonly isQualified: boolean;
  readonly operations: readonly DescribedOperation[];
  readonly types: TypeShapes;
}

const bindings: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/wsdl/soap/',
  '1.2': 'http://schemas.xmlsoap.org/wsdl/soap12/',
};

/** A WSDL 1.1 document (W3C Note of 15 March 2001) of document/literal operations, for the service at `address`. */
export function wsdlText(service: DescribedService, address: string): string {
  const { version, namespace, isQualified, operations, types } = service;
  const used = operations.flatMap(({ input, output }) => [input, output]).filter((name) => name !== undefined);
  return encodeXml(
    {
      '@name': 'Service',
      '@targetNamespace': namespace,
      '@xmlns:tns': namespace,
      '@xmlns:f': failureNamespace,
      '@xmlns:wsdl': 'http://schemas.xmlsoap.org/wsdl/',
      '@xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
      '@xmlns:soap': bindings[version],
      'wsdl:types': {
        'xs:schema': [
          {
            '@targetNamespace': namespace,
            '@elementFormDefault': isQualified ? 'qualified' : 'unqualified',
            'xs:element': operations.flatMap(({ name, input, output }) => [
              requestElement(name, input, types),
              responseElement(`${name}Response`, output, types),
            ]),
            'xs:complexType': namedTypes(used, types),
          },
          failureSchema,
        ],
      },
      'wsdl:message': [
        { '@name': 'Failure', 'wsdl:part': { '@name': 'failure', '@element': 'f:failure' } },
        ...operations.flatMap(({ name }) => [
          { '@name': `${name}Request`, 'wsdl:part': { '@name': 'parameters', '@element': `tns:${name}` } },
          { '@name': `${name}Response`, 'wsdl:part': { '@name': 'parameters', '@element': `tns:${name}Response` } },
        ]),
      ],
      'wsdl:portType': {
        '@name': 'ServicePort',
        'wsdl:operation': operations.map(({ name }) => ({
          '@name': name,
          'wsdl:input': { '@message': `tns:${name}Request` },
          'wsdl:output': { '@message': `tns:${name}Response` },
          'wsdl:fault': { '@name': 'Failure', '@message': 'tns:Failure' },
        })),
      },
      'wsdl:binding': {
        '@name': 'ServiceBinding',
        '@type': 'tns:ServicePort',
        'soap:binding': { '@style': 'document', '@transport': 'http://schemas.xmlsoap.org/soap/http' },
        'wsdl:operation': operations.map(({ name }) => ({
          '@name': name,
          'soap:operation': { '@soapAction': actionOf(namespace, name), '@style': 'document' },
          'wsdl:input': { 'soap:body': { '@use': 'literal' } },
          'wsdl:output': { 'soap:body': { '@use': 'literal' } },
          'wsdl:fault': { '@name': 'Failure', 'soap:fault': { '@name': 'Failure', '@use': 'literal' } },
        })),
      },
      'wsdl:service': {
        '@name': 'Service',
        'wsdl:port': {
          '@name': 'ServicePort',
          '@binding': 'tns:ServiceBinding',
          'soap:address': { '@location': address },
        },
      },
    },
    'wsdl:definitions',
  );
}
