import type { Range } from '../../text/index.ts';
import type { Expression, Name } from '../tree.ts';
import { leadingSpace, withoutTrailingSpace } from './characters.ts';

/**
 * A piece of a template as it is read, before directives are paired. Trim markers are fields of the pieces that carry
 * them.
 */
export type Piece = TextPiece | SequencePiece;

export interface TextPiece {
  readonly kind: 'text';
  value: string;
  readonly start: number;
  end: number;
}

export interface SequencePiece extends Range {
  readonly kind: 'interpolation' | 'if' | 'else' | 'endif' | 'for' | 'endfor';
  /** The interpolated value, the condition, or the collection. */
  readonly expression: Expression | undefined;
  readonly key: Name | undefined;
  readonly value: Name | undefined;
  readonly trimBefore: boolean;
  readonly trimAfter: boolean;
}

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Applies `${~` and `~}`: white space goes from the text that touches the marker, in a heredoc up to the line's end.
 */
export function applyTrimMarkers(pieces: readonly Piece[]): void {
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'text') continue;
    const before = pieces[index - 1];
    const after = pieces[index + 1];
    if (piece.trimBefore && before?.kind === 'text') before.value = withoutTrailingSpace(before.value);
    if (piece.trimAfter && after?.kind === 'text') after.value = after.value.slice(leadingSpace(after.value));
  }
}

/** Takes from every line of a `<<-` heredoc the indentation of its least indented line; blank lines do not count. */
export function removeIndentation(pieces: readonly Piece[]): void {
  const firsts: TextPiece[] = [];
  let least = Number.POSITIVE_INFINITY;
  let startsLine = true;
  for (const piece of pieces) {
    if (startsLine) {
      startsLine = false;
      if (piece.kind !== 'text') least = 0;
      else {
        const indentation = leadingSpace(piece.value);
        const blank = indentation === piece.value.length && piece.value.endsWith('\n');
        if (!blank) {
          least = Math.min(least, indentation);
          firsts.push(piece);
        }
      }
    }
    if (piece.kind === 'text' && piece.value.endsWith('\n')) startsLine = true;
  }
  for (const piece of firsts) piece.value = piece.value.slice(least);
}

/** Pieces with text that follows text joined to it and empty text left out. Text is in Unicode normal form C. */
export function joinText(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (let index = 0; index < pieces.length; ) {
    const piece = pieces[index++] as Piece;
    if (piece.kind !== 'text') {
      joined.push(piece);
      continue;
    }
    const values = [piece.value];
    let { end } = piece;
    for (let next = pieces[index]; next?.kind === 'text'; next = pieces[++index]) {
      values.push(next.value);
      end = next.end;
    }
    const value = values.join('');
    if (value !== '')
      joined.push({
        kind: 'text',
        value: normalized(value),
        start: piece.start,
        end,
      });
  }
  return joined;
}

/** Text in Unicode normal form C, as all text of HCL is. */
export function normalized(value: string): string {
  return NOT_ASCII.test(value) ? value.normalize('NFC') : value;
}
