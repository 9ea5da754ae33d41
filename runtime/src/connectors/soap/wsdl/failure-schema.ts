import { failureNamespace } from '../../../platform/formats/wsdl/failure-namespace.ts';

const text = (name: string) => ({ '@name': name, '@type': 'xs:string', '@minOccurs': '0' });

/** The detail of the faults of every operation, as schema: code and fields of a failure, and what its flow wrote. */
export const failureSchema = {
  '@targetNamespace': failureNamespace,
  '@elementFormDefault': 'qualified',
  'xs:element': {
    '@name': 'failure',
    'xs:complexType': {
      'xs:sequence': {
        'xs:element': [
          text('code'),
          text('request_id'),
          {
            '@name': 'field',
            '@minOccurs': '0',
            '@maxOccurs': 'unbounded',
            'xs:complexType': { 'xs:sequence': { 'xs:element': [text('name'), text('code'), text('message')] } },
          },
          { '@name': 'status', '@type': 'xs:int', '@minOccurs': '0' },
          {
            '@name': 'body',
            '@minOccurs': '0',
            'xs:complexType': {
              'xs:sequence': {
                'xs:any': {
                  '@namespace': '##any',
                  '@processContents': 'skip',
                  '@minOccurs': '0',
                  '@maxOccurs': 'unbounded',
                },
              },
            },
          },
        ],
      },
    },
  },
} as const;
