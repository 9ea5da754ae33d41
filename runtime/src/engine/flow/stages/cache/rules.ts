import type { Report } from '@svc/protocol/model';
import { originOf, type TemplateSource } from '@svc/protocol/schema';
import type { FlowRule } from '../../every-flow.ts';

/** Keys that look like expressions but would be used literally. */
export const checkCacheKeys: FlowRule = ({ values }, _connectors, report) => {
  const { cache, after } = values;
  if (cache?.encoding.length === 0 || (cache && cache.encoding[0] !== 'json'))
    report('malformed-encoding', 'the first codec of encoding must be json', originOf(cache, 'encoding'), {
      help: 'Write encoding = ["json", "gzip"].',
    });
  if (cache && new Set(cache.encoding).size < cache.encoding.length)
    report('malformed-encoding', 'encoding names a codec twice', originOf(cache, 'encoding'), {
      help: 'Name each codec once.',
    });
  if (cache?.key) checkLiteral(cache.key, report);
  if (cache?.key_from?.source.includes('${'))
    report('template-in-expression', 'key_from is an expression and holds no ${…}', originOf(cache, 'key_from'), {
      help: 'Write it as key, or as an expression without ${…}.',
    });
  for (const key of [...(after?.invalidate?.keys ?? []), ...(after?.invalidate?.patterns ?? [])])
    checkLiteral(key, report);
};

/** Reports a key whose letters look like an expression. */
export function checkLiteral({ parts, origin }: TemplateSource, report: Report): void {
  const literal = parts.filter((part) => typeof part === 'string').join('');
  if (literal.includes('${'))
    return report('expression-in-key', '${ is not evaluated: the key holds these letters', origin, {
      help: 'Write ${…} with one dollar sign.',
    });
  if (!/['"+]|\binput\./.test(literal)) return;
  report('expression-in-key', 'this key looks like an expression, but only ${…} parts are evaluated', origin, {
    help: 'Write "orders:${input.id}", or use the attribute that ends in _from.',
  });
}
