import { text } from '@svc/protocol/schema';

export const soapVersions = ['1.1', '1.2'] as const;
export const elementForms = ['unqualified', 'qualified'] as const;

export const namespaceAttribute = (doc: string) =>
  text(doc, {
    pattern: { source: '^[^\\s<>"{}|\\\\^`]+$', says: 'must be an address or a name (URI) without blanks' },
    example: '"http://example.org/orders"',
  });
