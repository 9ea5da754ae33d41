import type { FailureCode } from '../../../foundation/errors/failures.ts';
import type { SentRequest, ServedAnswer } from './request-server-conformance.ts';

/** What came back over HTTP: refusals of the server of an address have one form, the others are read by the protocol. */
export async function answerOf(
  response: Response,
  read: (body: unknown, text: string) => ServedAnswer,
): Promise<ServedAnswer> {
  const text = await response.text();
  const body: unknown = JSON.parse(text);
  if (response.ok) return read(body, text);
  return { refused: { code: (body as { readonly code?: FailureCode }).code, text } };
}

/** Credentials of HTTP basic authentication. */
export function credentialsOf(caller: SentRequest['caller']): Readonly<Record<string, string>> {
  return caller === undefined ? {} : { authorization: `Basic ${btoa(`${caller.name}:${caller.password}`)}` };
}
