import { Fields } from '@svc/protocol/cel';
import type { ArgumentSource, CelSource } from '@svc/protocol/schema';

/** The value of constants in which expressions are marked. */
export function evaluateMarked(source: ArgumentSource, evaluate: (cel: CelSource) => unknown): unknown {
  switch (source.kind) {
    case 'constant':
      return source.value;
    case 'cel':
      return evaluate(source);
    case 'list':
      return source.items.map((item) => evaluateMarked(item, evaluate));
    case 'map': {
      const map = new Fields() as Record<string, unknown>;
      for (const [name, item] of source.entries) map[name] = evaluateMarked(item, evaluate);
      return map;
    }
  }
}
