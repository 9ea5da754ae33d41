import type { TemplatePart } from '../tree.ts';
import type { Cursor } from './cursor.ts';
import { joinText, type Piece, type SequencePiece } from './pieces.ts';

/** Builds the parts of a template from its pieces: `%{ if }` and `%{ for }` take in all up to their end. */
export function pairDirectives(cursor: Cursor, pieces: readonly Piece[]): TemplatePart[] {
  const root: TemplatePart[] = [];
  const open: OpenDirective[] = [];
  let parts = root;
  let end = 0;

  const close = () => {
    const directive = open.pop();
    if (directive === undefined) return;
    parts = directive.outer;
    parts.push(finished(directive, end));
  };

  for (const piece of joinText(pieces)) {
    end = piece.end;
    const innermost = open.at(-1);
    if (piece.kind === 'text') parts.push(piece);
    else if (piece.kind === 'interpolation') {
      if (piece.expression !== undefined)
        parts.push({ kind: 'interpolation', expression: piece.expression, start: piece.start, end });
    } else if (piece.kind === 'if' || piece.kind === 'for') {
      const body: TemplatePart[] = [];
      open.push({ piece, outer: parts, body, otherwise: undefined });
      parts = body;
    } else if (piece.kind === 'else' && innermost?.piece.kind === 'if' && innermost.otherwise === undefined)
      parts = innermost.otherwise = [];
    else if (piece.kind === 'endif' && innermost?.piece.kind === 'if') close();
    else if (piece.kind === 'endfor' && innermost?.piece.kind === 'for') close();
    else if (!cursor.lost)
      cursor.report(
        'syntax-unexpected-directive',
        piece,
        `"%{ ${piece.kind} }" ends nothing that is open here`,
        'Every "%{ if … }" ends with one "%{ endif }", with at most one "%{ else }" between; "%{ for … }" with "%{ endfor }".',
      );
  }
  for (let directive = open.at(-1); directive !== undefined; directive = open.at(-1)) {
    const { kind } = directive.piece;
    if (!cursor.lost)
      cursor.report(
        'syntax-unclosed-directive',
        directive.piece,
        `This "%{ ${kind} … }" is never closed`,
        `Write "%{ end${kind} }" where it ends.`,
      );
    close();
  }
  return root;
}

interface OpenDirective {
  readonly piece: SequencePiece;
  /** The parts the directive itself belongs to. */
  readonly outer: TemplatePart[];
  readonly body: TemplatePart[];
  otherwise: TemplatePart[] | undefined;
}

function finished({ piece, body, otherwise = [] }: OpenDirective, end: number): TemplatePart {
  const { start } = piece;
  const expression = piece.expression ?? { kind: 'invalid', start: piece.end, end: piece.end };
  if (piece.kind === 'if')
    // biome-ignore lint/suspicious/noThenProperty: a node is never awaited
    return { kind: 'conditional-directive', condition: expression, then: body, otherwise, start, end };
  const value = piece.value ?? { text: '', start: piece.end, end: piece.end };
  return { kind: 'for-directive', key: piece.key, value, collection: expression, body, start, end };
}
