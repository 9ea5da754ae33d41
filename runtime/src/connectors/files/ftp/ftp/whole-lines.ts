import type { FTPContext } from 'basic-ftp';

/** Characters of the longest line of an answer. */
const longestLine = 64 * 1024;

/** What takes the text of the control connection in the library. */
interface Control {
  _onControlSocketData(text: string): void;
}

/**
 * Passes whole lines of answers alone to the library, which takes the piece of a line that came first for all of it. A line
 * that does not end closes the connection; what came before the connection got TLS does not begin a line within it.
 */
export function passWholeLines(context: FTPContext): void {
  const control = context as unknown as Control;
  const take = control._onControlSocketData.bind(control);
  let begun = '';
  let of = context.socket;
  control._onControlSocketData = (piece) => {
    const text = of === context.socket ? begun + piece : piece;
    const end = text.lastIndexOf('\n') + 1;
    begun = text.slice(end);
    of = context.socket;
    if (begun.length > longestLine) context.closeWithError(new Error('a line of an answer does not end'));
    else if (end > 0) take(text.slice(0, end));
  };
}
