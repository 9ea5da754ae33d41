import { beyondBudget, type DecodingBudget } from './budget.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const space = 0x20;

/**
 * Counts what a JSON text would become, before memory is taken for it: `JSON.parse` cannot be interrupted, and a process
 * in which it runs out of memory ends, also where it runs in a worker thread with a limit of its own. Throws
 * `body_too_large` beyond the values or keys of the budget, and `body_undecodable` beyond its depth. Of a text that is
 * not JSON the counts mean nothing; it is refused when it is parsed.
 */
export function refuseBeyond(text: string, budget: DecodingBudget): void {
  let [values, keys, depth] = [0, 0, 0];
  const countValue = () => {
    if (++values > budget.values) throw beyondBudget(budget, 'values');
  };
  countValue();
  // The last character that is neither white space nor inside a text.
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= space) continue;
    const isClosing = code === closeBracket || code === closeBrace;
    // What begins behind a bracket is its first value.
    if ((last === openBracket || last === openBrace) && !isClosing) countValue();
    switch (code) {
      case quote:
        at = endOfText(text, at);
        break;
      case comma:
        countValue();
        break;
      case colon:
        if (++keys > budget.keys) throw beyondBudget(budget, 'keys');
        break;
      case openBracket:
      case openBrace:
        if (++depth > budget.depth) throw beyondBudget(budget, 'depth');
        break;
      case closeBracket:
      case closeBrace:
        depth--;
        break;
    }
    last = code;
  }
}

/** The closing quotation mark of the text that begins at `at`; the end where there is no such mark. */
function endOfText(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
