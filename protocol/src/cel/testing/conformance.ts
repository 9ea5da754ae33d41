import type { SimpleTest } from '@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js';
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js';
import { getTestRegistry } from '@bufbuild/cel-spec/testdata/registry.js';
import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { type Any, anyUnpack, type Duration, type Timestamp } from '@bufbuild/protobuf/wkt';
import type { Range } from '../../text/index.ts';
import type { CelEngine } from '../engine.ts';
import { parseTolerant } from '../parser.ts';
import { encodeBase64 } from '../values/base64.ts';
import { CelDuration } from '../values/duration.ts';
import { kindOf } from '../values/kind.ts';
import { keysOf, lookup, MapBuilder } from '../values/map.ts';
import { nanosecondsOf } from '../values/ordering.ts';
import { CelTimestamp } from '../values/timestamp.ts';
import { CelTypeValue } from '../values/type-value.ts';
import { CelUint } from '../values/uint.ts';

/** One test of the public suite. `name` is its path in it. */
export interface ConformanceCase {
  readonly name: string;
  readonly test: SimpleTest;
}

const registry = getTestRegistry();
const messageSuites = new Set(['enums', 'proto2', 'proto3', 'proto2_ext', 'wrappers', 'dynamic']);

/** The tests of the public suite that need no protobuf messages. */
export function conformanceCases(): readonly ConformanceCase[] {
  return getConformanceSuite()
    .suites.filter(({ name }) => !messageSuites.has(name))
    .flatMap((suite) => casesOf(suite, suite.name));
}

function casesOf(suite: IncrementalTestSuite, path: string): ConformanceCase[] {
  const own = suite.tests.map(({ name, original }) => ({ name: `${path}/${name}`, test: original }));
  const inner = suite.suites.flatMap((child) => casesOf(child, `${path}/${child.name}`));
  return [...own, ...inner].filter(({ test }) => !test.checkOnly && !needsMessages(test));
}

function needsMessages(test: SimpleTest): boolean {
  const result = test.resultMatcher.case === 'value' ? [test.resultMatcher.value] : [];
  const bound = Object.values(test.bindings).map(({ kind }) => kind.value as Value | undefined);
  return (
    /TestAllTypes|google\.protobuf|GlobalEnum|proto\.(has|get)Ext|protobuf/.test(test.expr) ||
    /proto[23]|conformance/.test(test.container) ||
    [...result, ...bound].some(
      (value) => value?.kind?.case === 'objectValue' && !/Timestamp|Duration/.test(value.kind.value.typeUrl),
    )
  );
}

/** Undefined when the engine answers as the suite demands, else what differs. */
export function difference({ test }: ConformanceCase, engine: CelEngine): string | undefined {
  const wanted = expectation(test);
  const got = answer(test, engine);
  return got === wanted || (wanted === 'error' && got.startsWith('error')) ? undefined : `wanted ${wanted}, got ${got}`;
}

function expectation({ resultMatcher }: SimpleTest): string {
  switch (resultMatcher.case) {
    case 'value':
      return written(toCel(resultMatcher.value));
    case 'typedResult':
      return resultMatcher.value.result ? written(toCel(resultMatcher.value.result)) : 'any';
    case undefined:
      return written(true);
    default:
      return 'error';
  }
}

function answer(test: SimpleTest, engine: CelEngine): string {
  const compiled = engine.compile(withoutBlock(test.expr), { check: !test.disableCheck });
  if (!compiled.ok) return `error ${compiled.problems[0]?.message}`;
  try {
    return written(compiled.program.evaluate(bindingsOf(test)));
  } catch (error) {
    return `error ${(error as Error).message}`;
  }
}

/**
 * `cel.block([a, b], c)` is what optimisers write, not people: its values are `cel.index(n)`, its loop variables
 * `cel.iterVar(n, m)`. It is read as the nested `cel.bind` that it means.
 */
function withoutBlock(expression: string): string {
  const plain = expression.replace(/cel\.(index|iterVar)\((\d+)(?:, (\d+))?\)/g, '$1_$2_$3');
  if (!plain.startsWith('cel.block(')) return plain;
  const { expression: block } = parseTolerant(plain);
  if (block.kind !== 'call' || block.args[0]?.kind !== 'list') return plain;
  const text = (node: Range | undefined): string => plain.slice(node?.start, node?.end);
  return block.args[0].elements.reduceRight(
    (result, { value }, at) => `cel.bind(index_${at}_, ${text(value)}, ${result})`,
    text(block.args[1]),
  );
}

/** Variables with dotted names become maps of maps. */
function bindingsOf(test: SimpleTest): Record<string, unknown> {
  const bindings: Record<string, unknown> = {};
  for (const [path, { kind }] of Object.entries(test.bindings)) {
    if (kind.case !== 'value') continue;
    const names = path.split('.');
    let holder = bindings;
    for (const name of names.slice(0, -1)) holder = (holder[name] ??= {}) as Record<string, unknown>;
    holder[names.at(-1) as string] = toCel(kind.value);
  }
  return bindings;
}

function toCel({ kind }: Value): unknown {
  switch (kind.case) {
    case 'uint64Value':
      return new CelUint(kind.value);
    case 'nullValue':
      return null;
    case 'listValue':
      return kind.value.values.map(toCel);
    case 'mapValue': {
      const map = new MapBuilder();
      for (const { key, value } of kind.value.entries) map.add(toCel(key as Value), toCel(value as Value));
      return map.build();
    }
    case 'typeValue':
      return new CelTypeValue(kind.value);
    case 'objectValue':
      return messageOf(kind.value);
    default:
      return kind.value;
  }
}

function messageOf(any: Any): unknown {
  const message = anyUnpack(any, registry) as Timestamp | Duration;
  const nanoseconds = message.seconds * 1_000_000_000n + BigInt(message.nanos);
  return message.$typeName === 'google.protobuf.Timestamp'
    ? new CelTimestamp(nanoseconds)
    : new CelDuration(nanoseconds);
}

/** A value as a text that distinguishes types and does not depend on the order of maps. */
export function written(value: unknown): string {
  const kind = kindOf(value);
  switch (kind) {
    case 'double':
      return `double ${Object.is(value, -0) ? 0 : value}`;
    case 'string':
      return JSON.stringify(value);
    case 'bytes':
      return `bytes ${encodeBase64(value as Uint8Array)}`;
    case 'list':
      return `[${(value as readonly unknown[]).map(written).join(', ')}]`;
    case 'map':
      return `{${keysOf(value as object)
        .map((key) => `${written(key)}: ${written(lookup(value as object, key))}`)
        .sort()
        .join(', ')}}`;
    case 'timestamp':
      return `timestamp ${nanosecondsOf(value)}`;
    case 'type':
      return `type ${(value as CelTypeValue).name}`;
    default:
      return `${kind} ${value}`;
  }
}
