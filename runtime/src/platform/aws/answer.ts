import { Failure } from '../../foundation/errors/failure.ts';
import { answerBudget } from '../formats/budget.ts';
import { decodeBody } from '../formats/decode.ts';
import { codecOf } from '../formats/registry.ts';

/** The content of the root of an XML answer. */
export type Answer = Readonly<Record<string, unknown>>;

/** Reads an answer, without document types and within a budget. Rejects with `connector_failed` for one that is not XML. */
export async function readXml(body: Uint8Array): Promise<Answer> {
  try {
    const answer = await decodeBody(await codecOf('xml'), body, { budget: answerBudget });
    return typeof answer === 'object' && answer !== null ? (answer as Answer) : {};
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'overloaded') throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Failure('connector_failed', `the server did not answer with XML: ${reason}`, { cause });
  }
}

export function textIn(answer: Answer, name: string): string | undefined {
  const value = answer[name];
  return typeof value === 'string' ? value : undefined;
}

/** The elements of a name, however many there are. */
export function allIn(answer: Answer, name: string): readonly Answer[] {
  const value = answer[name];
  const items = Array.isArray(value) ? value : [value];
  return items.filter((item) => typeof item === 'object' && item !== null) as readonly Answer[];
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] as string);
}
