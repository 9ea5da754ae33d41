import type { TemplateSource, Values } from '@svc/protocol/schema';
import type { Storage } from '../../../../foundation/contracts/storage.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { escapeKey } from '../../../../platform/formats/key-text.ts';
import type { EventListener } from '../../cache-events.ts';
import type { FlowTools } from '../../tools.ts';
import type { cache } from './spec.ts';

type CacheBlock = Values<typeof cache>;

/** An event pattern: what it matches, and the expressions of its placeholders. */
interface Pattern {
  readonly matches: RegExp;
  readonly holes: readonly string[];
}

/**
 * Drops entries when something was written that `invalidate_on` names. No index of entries is kept: what a placeholder
 * of the pattern matched is inserted where the key has the same expression, and every other part of the key is a
 * wildcard. So the entries of other processes are dropped as well when the store is shared.
 */
export function staleOn(
  flow: string,
  block: CacheBlock,
  storage: Storage,
  tools: FlowTools,
): EventListener | undefined {
  const patterns = (block.invalidate_on ?? []).map(compilePattern);
  if (patterns.length === 0) return undefined;
  const prefix = block.prefix === undefined || block.prefix === '' ? '' : `${block.prefix}:`;
  const { log, observer } = tools.services;
  const storeFailed = (error: unknown): void => {
    const { code, message } = asFailure(error);
    log.warn('cache entries were not dropped', { flow, cache: block.storage, code, error: message });
    observer.invalidateFailed(block.storage, 'invalidate_on');
  };
  const drop = (known: ReadonlyMap<string, string>): number | Promise<number> => {
    if (block.key === undefined) return storage.deleteMatching(`${asGlob(prefix + escapeKey(flow))}:*`);
    const { parts } = block.key;
    const isWhole = parts.every((part) => typeof part === 'string' || known.has(part.source.trim()));
    const text = parts.map((part) => {
      if (typeof part !== 'string') return known.get(part.source.trim()) ?? '*';
      return isWhole ? part : asGlob(part);
    });
    return isWhole ? storage.delete([prefix + text.join('')]) : storage.deleteMatching(asGlob(prefix) + text.join(''));
  };
  return (event) => {
    const waiting: Promise<void>[] = [];
    for (const { matches, holes } of patterns) {
      const found = matches.exec(event);
      if (!found) continue;
      try {
        const dropped = drop(new Map(holes.map((hole, at) => [hole, found[at + 1] as string])));
        if (dropped instanceof Promise) waiting.push(dropped.then(() => undefined, storeFailed));
      } catch (error) {
        storeFailed(error);
      }
    }
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
  };
}

/** `*` matches any text, `${…}` one value; values are escaped and contain no colon. */
function compilePattern({ parts }: TemplateSource): Pattern {
  const holes: string[] = [];
  const source = parts.map((part) => {
    if (typeof part === 'string') return part.split('*').map(literally).join('.*');
    holes.push(part.source.trim());
    return '([^:]*)';
  });
  return { matches: new RegExp(`^${source.join('')}$`, 's'), holes };
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A text that a glob matches literally. */
function asGlob(text: string): string {
  return text.replace(/[*?[\]\\]/g, '\\$&');
}
