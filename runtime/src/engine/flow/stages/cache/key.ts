import { escapeKey, keyText } from '../../../../platform/formats/key-text.ts';
import { callerOf } from '../../../../platform/identity/caller.ts';
import { kindOf, unusable } from '../../compile/expression.ts';
import { isKeptSpelling } from '../../hold/uuid-spelling.ts';
import type { Frame } from '../../message/frame.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { compileTemplateKey, untold } from './template-key.ts';

/** The key of a message; undefined when its answer cannot be kept. */
export type KeyOf = (frame: Frame) => string | undefined;

/** Compiles the key of a flow's answers, with its prefix. */
export function compileKey({ name: flow, values }: FlowModel, tools: FlowTools): KeyOf {
  const { cache } = values;
  const prefix = cache?.prefix === undefined || cache.prefix === '' ? '' : `${cache.prefix}:`;
  if (cache?.key !== undefined) {
    const fill = compileTemplateKey(cache.key, 'cache: key', { flow, cache: cache.storage, attribute: 'key' }, tools);
    return (frame) => {
      const key = fill(frame, frame.auth);
      return key === undefined ? undefined : prefix + key;
    };
  }
  if (cache?.key_from !== undefined) {
    const expression = tools.expression(cache.key_from, 'cache: key_from');
    const isUntold = untold([expression]);
    return (frame) => {
      const key = expression.evaluate(frame);
      if (typeof key === 'string' && key !== '')
        return isUntold(frame.auth) || !isKeptSpelling(key) ? undefined : prefix + key;
      throw unusable(`flow "${flow}": cache.key_from must give a text, not ${kindOf(key)}`, expression, frame);
    };
  }
  const begin = `${prefix}${escapeKey(flow)}:`;
  const isShared = cache?.scope === 'shared';
  return ({ input, auth }) => {
    const text = inputText(input);
    if (!isKeptSpelling(text)) return undefined;
    return begin + (auth.authenticated && !isShared ? `auth=${callerOf(auth)}:` : '') + text;
  };
}

/** The whole message as sorted `name=value` pairs, headers aside. */
function inputText(input: Frame['input']): string {
  let text = '';
  for (const name of Object.keys(input).sort()) {
    if (name === 'headers' || name === 'files' || input[name] === undefined) continue;
    text += `${escapeKey(name)}=${valueText(input[name])}:`;
  }
  return text;
}

/** Texts and numbers stay distinct: `1` and `"1"` may be answered differently. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return escapeKey(value);
  return keyText(value) === undefined || value === null ? escapeKey(stable(value)) : `~${String(value)}`;
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'bigint') return `~${item}`;
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    const sorted: Record<string, unknown> = Object.create(null);
    for (const name of Object.keys(item).sort()) sorted[name] = (item as Record<string, unknown>)[name];
    return sorted;
  });
}
