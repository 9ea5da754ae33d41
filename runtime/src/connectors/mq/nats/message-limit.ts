import { AnnouncedBytes, type AnnouncingLine, byLines } from '../../intake/broker/announced.ts';
import { placeholder } from '../../intake/broker/passed-over.ts';

/** The longest line that says how long what follows is; what a server says of itself may be longer. */
const longestLine = 1_048_576;
/** `MSG subject sid [reply] bytes` and `HMSG subject sid [reply] bytes-of-headers bytes`. */
const message = /^(H?MSG)(\s.*\s)(\d+)\r?$/i;
const withHeaders = /^(.*\s)(\d+)\s+$/;
/** Bytes of a message that a server takes, with its headers, and may send in base 64. */
export const mostOfAnyServer = 92_274_688;
/** The end of a message. */
const end = Buffer.from('\r\n');

/** Passes over the bodies of messages that are larger than `most` bytes with their headers, and headers that are that alone. */
export function messageLimit(most: number): AnnouncedBytes {
  const read = (line: string): AnnouncingLine | undefined => {
    const [, kind = '', middle = '', digits] = message.exec(line) ?? [];
    if (digits === undefined) return undefined;
    const bytes = Number(digits);
    return bytes <= most ? { follows: bytes + end.length } : insteadOf(kind, middle, bytes, most);
  };
  return new AnnouncedBytes(byLines(read, () => longestLine));
}

function insteadOf(kind: string, middle: string, bytes: number, most: number): AnnouncingLine {
  if (bytes > mostOfAnyServer) throw new Error('the server announces more bytes than a message has');
  const body = placeholder(bytes);
  const rest = Buffer.concat([body, end]);
  const follows = bytes + end.length;
  const [, before = '', digits] = (kind.length > 3 && withHeaders.exec(middle)) || [];
  if (digits === undefined) return { follows, instead: { line: `MSG${middle}${body.length}\r\n`, keeps: 0, rest } };
  const keeps = Number(digits);
  if (keeps > most || keeps > bytes)
    return { follows, instead: { line: `MSG${before}${body.length}\r\n`, keeps: 0, rest } };
  return { follows, instead: { line: `HMSG${before}${keeps} ${keeps + body.length}\r\n`, keeps, rest } };
}
