import type { Shown } from '../../../foundation/contracts/capture.ts';
import { type Address, headerOf } from '../addresses.ts';

/** A file of a letter, in memory. */
export interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  /** The name by which the HTML shows it (`cid:`); absent: it is beside the text. */
  readonly contentId: string | undefined;
  readonly bytes: Buffer;
}

/** A letter with everything that it consists of: defaults filled in, templates printed, files read. */
export interface Letter {
  readonly from: Address;
  readonly replyTo: readonly Address[];
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  /** Empty where a template of the provider has it. */
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly attachments: readonly Attachment[];
  /** A template at the provider, and what it prints. */
  readonly template: { readonly id: string; readonly data: Readonly<Record<string, unknown>> } | undefined;
  readonly tags: readonly string[];
  readonly trackOpens: boolean | undefined;
  readonly trackClicks: boolean | undefined;
}

/** A letter as it would be sent, for people. */
export interface Composed {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  /** The bytes that would be sent: the text of a message (RFC 5322), or the body of a request. */
  readonly raw: Buffer;
  /** Where a request with these bytes goes. Absent: SMTP says where. */
  readonly request?: { readonly method: string; readonly url: string } | undefined;
}

/** The parts of a letter that people read, its addresses as headers have them. */
export function readableParts({ from, to, cc, bcc, subject, text, html }: Letter): Omit<Composed, 'raw' | 'request'> {
  return {
    from: headerOf(from),
    to: to.map(headerOf),
    cc: cc.map(headerOf),
    bcc: bcc.map(headerOf),
    subject,
    text,
    html,
  };
}

/** What its receivers see of a letter. */
export function shownOf({ from, to, cc, bcc, subject, text, html }: Composed): Shown {
  return { from, to: [...to, ...cc, ...bcc], title: subject, text, html };
}

/** Everyone whom a letter goes to, each once: its place is the first in which it is. */
export function addresseesOf({ to, cc, bcc }: Pick<Letter, 'to' | 'cc' | 'bcc'>) {
  const seen = new Set<string>();
  const once = (addresses: readonly Address[]) =>
    addresses.filter(({ email }) => {
      const key = email.toLowerCase();
      return !seen.has(key) && seen.add(key);
    });
  return { to: once(to), cc: once(cc), bcc: once(bcc) };
}
