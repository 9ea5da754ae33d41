import { AnnouncedBytes, type AnnouncingLine, byLines } from '../../intake/broker/announced.ts';
import { placeholder } from '../../intake/broker/passed-over.ts';

/** Types of replies whose first line is the length of what follows: texts, errors, texts with a format. */
const withLength = /^([$!=])(\d+)\r?$/;
/** Bytes of a text: servers take half of that, unless they are configured otherwise. */
const mostOfAnyServer = 1_073_741_824;
/** The end of a text. */
const end = Buffer.from('\r\n');

/**
 * Passes over texts of more bytes than allowed in what a server sends (RESP 2 and 3). Of texts that are a line alone a
 * longer one ends the connection.
 */
export class ReplyLimit extends AnnouncedBytes {
  /** Bytes of a text. */
  most: number;

  constructor(most: number) {
    super(
      byLines(
        (line) => this.#read(line),
        () => Math.max(this.most, 64),
      ),
    );
    this.most = most;
  }

  #read(line: string): AnnouncingLine | undefined {
    const [, type, digits] = withLength.exec(line) ?? [];
    if (digits === undefined) return undefined;
    const bytes = Number(digits);
    const follows = bytes + end.length;
    if (bytes <= this.most) return { follows };
    if (bytes > mostOfAnyServer) throw new Error('the server announces more bytes than a text has');
    const body = placeholder(bytes);
    return { follows, instead: { line: `${type}${body.length}\r\n`, keeps: 0, rest: Buffer.concat([body, end]) } };
  }
}
