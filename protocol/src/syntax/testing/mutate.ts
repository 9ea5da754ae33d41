// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the snippets are HCL, which has such templates of its own
import { corpus } from './corpus.ts';

const SNIPPETS = [
  ...[
    '{',
    '}',
    '"',
    '\n',
    ' ',
    '=',
    ',',
    '[',
    ']',
    '(',
    ')',
    '#',
    '/*',
    '*/',
    '\\',
    '.',
    ':',
    '?',
    '-',
    '!',
    '1',
    'a',
    '~',
  ],
  ...[
    '$$',
    '$',
    '%',
    '${',
    '%{',
    '${~ x ~}',
    '%{ endif ~}',
    'if ',
    'else',
    'endif',
    'endfor',
    'for ',
    'in ',
    '...',
    '::',
  ],
  ...['==', '=>', '>=', '<', '&&', '|', '*', '[*]', '.0', '1.2', '1.', '.5e', '0..1', 'null', 'true', 'b {\n', '\n}\n'],
  ...['<<EOT\n', '<<-E\n', '\nEOT\n', '\r\n', '\r', '\t', '\u00e9', 'e\u0301', '\u00a0', '\u0085', '\u{1d49c}'],
];

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Texts of the corpus, some joined, each with up to three small damages. About one in nine is still right. */
export function* mutations(seed: number, count: number): Generator<string> {
  const random = seeded(seed);
  const texts = Object.values(corpus);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  for (let made = 0; made < count; made++) {
    let text = pick(texts);
    if (random() < 0.3) text += pick(texts).replace(/\ba\b/g, 'zz');
    for (let damages = Math.ceil(random() * 3); damages > 0; damages--) {
      const at = Math.floor(random() * (text.length + 1));
      const removed = random() < 0.35 ? 1 + Math.floor(random() * 3) : 0;
      text = text.slice(0, at) + (removed > 0 ? '' : pick(SNIPPETS)) + text.slice(at + removed);
    }
    // Half a surrogate pair cannot be handed to the other parser.
    yield text.toWellFormed();
  }
}
