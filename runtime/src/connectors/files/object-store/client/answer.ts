import { type Answer, readXml } from '../../../../platform/aws/answer.ts';

/** Characters that XML 1.0 cannot carry, and references to them. */
const uncarried =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|&#(?:0*(?:\d|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]|fff[ef]));/gi;

/**
 * Reads an answer about one object, before which there may be blanks. It repeats the key, and servers write one that XML cannot carry all the same: each such
 * character is read as U+FFFD. Rejects as `readXml` does.
 */
export function readAnswer(body: Buffer): Promise<Answer> {
  return readXml(Buffer.from(body.toString().trimStart().replace(uncarried, '\ufffd')));
}
