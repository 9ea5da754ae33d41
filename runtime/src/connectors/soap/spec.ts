import { oneOf, text } from '@svc/protocol/schema';

export const versionAttribute = (doc: string) => oneOf(doc, ['1.1', '1.2'], { default: '1.1' });

export const elementFormAttribute = (doc: string) =>
  oneOf(doc, ['unqualified', 'qualified'], { default: 'unqualified' });

export const namespaceAttribute = (doc: string) =>
  text(doc, {
    pattern: { source: '^[^\\s<>"{}|\\\\^`]+$', says: 'must be an address or a name (URI) without blanks' },
    example: '"http://example.org/orders"',
  });
