import { Fields } from '@svc/protocol/cel';
import type { CelSource, Values } from '@svc/protocol/schema';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { canonicalDigest } from '../../../../platform/formats/canonical.ts';
import { escapeKey, keyText } from '../../../../platform/formats/key-text.ts';
import { type Expression, kindOf } from '../../compile/expression.ts';
import { keyValue, notAKey } from '../../hold/sync-key.ts';
import { foldUuids } from '../../hold/uuid-spelling.ts';
import type { Frame } from '../../message/frame.ts';
import type { RuleWatch, WatchedRule } from '../../message/part.ts';
import { numbered, watched } from '../../message/watched.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { inputPayload } from '../destination/payload.ts';
import type { dedupe } from './spec.ts';

/** The name under which a block without facets compares. */
export const whole = '';

/** The values by which one message is compared. */
export interface Comparison {
  /** Names the object that the message is about, escaped for keys of caches. */
  readonly key: string;
  /** Whether the stored fingerprints count; false: everything counts as changed. */
  readonly compares: boolean;
  /** Fingerprints by facet, `whole` for a block without facets. */
  readonly fingerprints: ReadonlyMap<string, string>;
}

/** How the messages of one flow are compared. */
export interface Comparing {
  /** Throws a Failure when key or fingerprint cannot be computed. */
  of(frame: Frame): Comparison;
  /** The same with every expression announced. */
  ofWatched(frame: Frame, watch: RuleWatch): Promise<Comparison>;
  readonly rules: readonly WatchedRule[];
}

interface Field {
  readonly name: string;
  readonly expression: Expression;
}

export function compileComparing(model: FlowModel, block: Values<typeof dedupe>, tools: FlowTools): Comparing {
  const { name: flow } = model;
  const { log } = tools.services;
  const key = tools.expression(block.key, 'dedupe: key');
  const compareWhen = block.compare_when && tools.expression(block.compare_when, 'dedupe: compare_when');
  const facets = facetsOf(block, tools);
  const all = facets.flatMap(({ fields }) => fields);
  const payload =
    (model.values.transform?.fields.length ?? 0) > 0 ||
    ![...all.map(({ expression }) => expression), ...(compareWhen ? [compareWhen] : [])].some((each) =>
      each.reads(['output']),
    )
      ? undefined
      : inputPayload(model);
  /** Without a transform, the message itself is written. */
  const scopeOf = (frame: Frame): object => {
    if (payload === undefined) return frame;
    const scope = Object.create(frame) as { output: unknown };
    scope.output = payload(frame);
    return scope;
  };
  const keyOf = (frame: Frame): string => {
    const value = keyValue(key, frame);
    const text = keyText(value);
    if (text !== undefined && text !== '') return foldUuids(text);
    throw notAKey(`flow "${flow}": dedupe.key must give a text or a number, not ${kindOf(value)}`);
  };
  const unsure = (error: unknown): true => {
    const { message } = asFailure(error);
    log.warn('compare_when of dedupe cannot be evaluated, so the message counts as changed', { flow, error: message });
    return true;
  };
  const digests = (values: readonly unknown[]): ReadonlyMap<string, string> => {
    let at = 0;
    return new Map(
      facets.map(({ facet, fields }) => {
        const projection = new Fields();
        for (const { name } of fields) projection[name] = values[at++];
        return [facet, canonicalDigest(projection, 'unordered')];
      }),
    );
  };
  const condition = compareWhen === undefined ? [] : [rule('compare_when', compareWhen)];
  return {
    rules: numbered([
      rule('key', key),
      ...condition,
      ...facets.flatMap(({ path, fields }) => fields.map(({ name, expression }) => rule(path + name, expression))),
    ]),
    of: (frame) => {
      const keyed = keyOf(frame);
      const scope = scopeOf(frame);
      let compares = true;
      try {
        compares = compareWhen?.isTrue(scope) ?? true;
      } catch (error) {
        compares = !unsure(error);
      }
      const values = all.map(({ expression }) => expression.evaluateIfPresent(scope));
      return { key: keyed, compares, fingerprints: digests(values) };
    },
    ofWatched: async (frame, watch) => {
      const keyed = await watched(watch, 0, frame, () => keyOf(frame));
      const scope = scopeOf(frame);
      let compares = true;
      if (compareWhen !== undefined)
        try {
          compares = await watched(watch, 1, scope, () => compareWhen.isTrue(scope));
        } catch (error) {
          compares = !unsure(error);
        }
      const values: unknown[] = [];
      for (const [at, { expression }] of all.entries())
        values.push(await watched(watch, 1 + condition.length + at, scope, () => expression.evaluateIfPresent(scope)));
      return { key: keyed, compares, fingerprints: digests(values) };
    },
  };
}

function rule(target: string, { program }: Expression): Omit<WatchedRule, 'index'> {
  return { target, expression: program.source };
}

type FieldSources = readonly { readonly name: string; readonly value: CelSource }[];

function facetsOf({ fingerprint, facet: facets }: Values<typeof dedupe>, tools: FlowTools) {
  const compile = (fields: FieldSources, path: string): readonly Field[] =>
    fields.map(({ name, value }) => ({ name, expression: tools.expression(value, `dedupe: ${path}${name}`) }));
  if (fingerprint !== undefined) {
    const path = 'fingerprint.';
    return [{ facet: whole, path, fields: compile(fingerprint.fields, path) }];
  }
  return facets.map(({ label, fingerprint: { fields } }) => {
    const path = `facet.${label}.fingerprint.`;
    return { facet: label, path, fields: compile(fields, path) };
  });
}

/** The key under which a fingerprint is kept. */
export function fingerprintKey(flow: string, key: string, facet: string): string {
  const base = `dedupe:${escapeKey(flow)}:${key}`;
  return facet === whole ? base : `${base}:${escapeKey(facet)}`;
}

/** The key under which the reservation of an object is kept. */
export function workKey(flow: string, key: string): string {
  return `dedupe-lock:${escapeKey(flow)}:${key}`;
}
