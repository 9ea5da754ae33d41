import { Failure } from '../../../foundation/errors/failure.ts';

/** Headers that are made of other fields, by servers on the way, or that say how a text is to be read. */
const reserved =
  /^(?:from|sender|to|cc|bcc|subject|reply-to|date|message-id|mime-version|content-.*|dkim-signature|received|return-path|resent-.*|arc-.*|authentication-results|x-sg-.*|x-ses-.*)$/i;

/** RFC 5322, 2.2: a name is printable ASCII without the colon. */
const nameForm = /^[!-9;-~]{1,76}$/;
const notSendable = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/;

const mostHeaders = 50;
const longestValue = 2_000;

/** The further headers of a message. Throws `value_refused`, which shows no value. */
export function headersOf(
  given: Readonly<Record<string, unknown>> | undefined,
): readonly (readonly [string, string])[] {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null);
  if (entries.length > mostHeaders) throw refused(`headers has more than ${mostHeaders} entries`);
  return entries.map(([name, value]) => {
    if (!nameForm.test(name)) throw refused(`${JSON.stringify(name.slice(0, 80))} is not the name of a header`);
    if (reserved.test(name)) throw refused(`header "${name}" cannot be set by a message`);
    const text = typeof value === 'string' ? value.toWellFormed() : String(value);
    if (typeof value === 'object' || text.length > longestValue || notSendable.test(text))
      throw refused(`header "${name}" must be a text of one line and at most ${longestValue} characters`);
    return [name, text] as const;
  });
}

/** Throws `value_refused` for a text that would end the line of its header, or be shown as another one. */
export function checkLine(text: string, field: string): string {
  if (text.length <= longestValue && !notSendable.test(text)) return text;
  throw refused(`${field} must be a text of one line and at most ${longestValue} characters`);
}

function refused(message: string): Failure {
  return new Failure('value_refused', message);
}
