import { text } from '@svc/protocol/schema';

/** The algorithms of signatures, as configurations name them. */
export const algorithms = ['hmac-sha256', 'hmac-sha1'] as const;
export type Algorithm = (typeof algorithms)[number];

export const defaultSignatureHeader = 'X-Webhook-Signature';
export const defaultTimestampHeader = 'X-Webhook-Timestamp';

/** The name of a header. */
export function headerName(doc: string, standard: string) {
  return text(doc, {
    default: standard,
    pattern: { source: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$", says: 'must be the name of a header' },
  });
}
