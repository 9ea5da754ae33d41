import { toJson } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { CelSource } from '@svc/protocol/schema';
import type { ConnectorEntry, FlowEntry, ModulesEntry, TypeEntry } from '@svc/protocol/wire';
import { flowsOf, sagaOf } from '../../engine/flow/declarations.ts';
import { rootBlocks } from '../../engine/flow/root-spec.ts';
import { sampleOf } from '../../engine/flow/stages/validate/sample.ts';
import type { FieldShape } from '../../engine/flow/stages/validate/spec.ts';
import { typeModels } from '../../engine/plan/types.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { PlanAnswers } from '../../foundation/contracts/kept-answers.ts';
import type { PlanModules } from '../../foundation/contracts/modules.ts';
import type { PlanSchedules, PlanWorkflows } from '../../foundation/contracts/operations.ts';
import type { WatchedRule, WatchedStage } from '../../foundation/contracts/probe.ts';
import { mask } from '../../foundation/observe/mask.ts';
import type { Gated } from './gate.ts';
import type { Secrecy } from './values/snapshot.ts';

/** The service in use, as the debugger looks at it. Without `events` it has no event sources. */
export interface DebuggedService extends Partial<Gated> {
  readonly project: Project;
  /** Of each flow, in written order. */
  readonly stages: ReadonlyMap<string, readonly WatchedStage[]>;
  /** Open connectors by name; absent in tests without connectors. */
  readonly connectors?: ReadonlyMap<string, { readonly connector: Pick<Connector, 'knownTargets'> }>;
  /** Absent in tests without plugins. */
  readonly modules?: PlanModules;
  /** Absent in a service that keeps no workflows. */
  readonly workflows?: PlanWorkflows | undefined;
  /** Absent in a service without schedules. */
  readonly timer?: PlanSchedules | undefined;
  /** What flows keep in caches; absent in tests without any. */
  readonly answers?: PlanAnswers;
}

type Field = { readonly name: string; readonly value: CelSource };

/** Every flow as `inspect.flows` describes it; of several destinations `to` is the first. */
export function flowEntries({ project, stages }: DebuggedService, secrecy: Secrecy): readonly FlowEntry[] {
  return flowsOf(project).map((declaration): FlowEntry => {
    const { name, values } = declaration;
    const { from, when, to, transform, response, validate, cache, error_handling: errorHandling } = values;
    const { step } = sagaOf(declaration)?.values ?? values;
    const [first] = (to === undefined ? [] : [to].flat()) as readonly Destination[];
    return {
      name,
      from: { connector: from?.connector ?? '', operation: from?.operation ?? '' },
      schedule: when === undefined ? null : { expression: when.schedule ?? '', timezone: when.timezone ?? '' },
      to: first === undefined ? null : { connector: first.connector ?? '', operation: targetOf(first) },
      hasSteps: step.length > 0,
      stepCount: step.length,
      transform: mappings(transform?.fields ?? [], secrecy),
      response: response ? mappings(response.fields, secrecy) : null,
      validate: { input: validate?.input ?? '', output: validate?.output ?? '' },
      hasCache: Boolean(cache),
      hasRetry: Boolean(errorHandling),
      stages: (stages.get(name) ?? []).map(({ stage, name: label, rules }) => ({
        stage,
        name: label,
        rules: rules.map((rule) => shownRule(rule, secrecy)),
      })),
    };
  });
}

/** The flows that messages of a connector trigger. */
export function flowsFrom({ project }: DebuggedService, connector: string): readonly string[] {
  const flows = flowsOf(project).filter(({ values }) => values.from?.connector === connector);
  return flows.map(({ name }) => name);
}

interface Destination {
  readonly connector?: string | undefined;
  readonly operation?: string | undefined;
  readonly target?: { readonly kind: string; readonly value?: unknown; readonly source?: string } | undefined;
}

/** What is written to: the table or queue, else the word that says how. */
function targetOf({ target, operation }: Destination): string {
  if (target === undefined) return operation ?? '';
  return target.kind === 'constant' ? String(target.value) : (target.source ?? operation ?? '');
}

export function connectorEntries({ project }: DebuggedService): readonly ConnectorEntry[] {
  const { connectors } = project.vocabulary;
  return [...project.connectors.values()].map(({ name, spec }) => {
    if (spec === undefined) return { name, type: 'profile', driver: '' };
    const { type, canonical, driver = '' } = spec;
    // Programs read neutral names. A role is shown where there are several.
    const hasRoles = connectors.filter((each) => each.type === type && each.canonical === type).length > 1;
    return { name, type, driver: canonical !== type ? canonical : hasRoles ? driver : '' };
  });
}

export function typeEntries({ project }: DebuggedService): readonly TypeEntry[] {
  return typeModels(project).map(({ name, fields }) => ({
    name,
    fields: fields.map((field) => ({
      name: field.name,
      type: typeName(field.shape),
      required: field.constraints.required,
      sample: toJson(sampleOf(field)) ?? null,
    })),
  }));
}

/** Every plugin and every module; what a secret may be in is in neither. */
export async function modulesEntry({ modules }: DebuggedService): Promise<ModulesEntry> {
  const plugins = ((await modules?.plugins()) ?? []).map(({ description = '', icon, hash, ...each }) => ({
    ...each,
    description,
    icon: icon ?? null,
    hash: hash ?? null,
  }));
  const running = (modules?.running() ?? []).map(({ name, plugin, path, hash, kind, serves, limits, counts }) => ({
    name,
    plugin: plugin ?? null,
    path,
    hash: hash ?? null,
    kind,
    serves,
    limits: {
      timeoutMs: limits.timeout,
      maxMemoryMb: limits.max_memory_mb,
      maxBytes: limits.max_bytes,
      instances: limits.instances,
    },
    instances: counts?.threads ?? 0,
    waiting: counts?.waiting ?? 0,
    calls: counts?.calls ?? 0,
    failed: counts?.failed ?? 0,
    ended: counts?.ended ?? 0,
    rebuilt: counts?.rebuilt ?? 0,
  }));
  return { plugins, modules: running };
}

/** A field of fields is an object. */
function typeName(shape: FieldShape): string {
  if (shape.kind === 'type') return shape.type;
  return shape.kind === 'fields' ? 'object' : shape.kind;
}

export function transformEntries({ project }: DebuggedService, secrecy: Secrecy) {
  return project.all('transform', rootBlocks.transform).map(({ name, values }) => ({
    name,
    mappings: mappings((values as { readonly fields: readonly Field[] }).fields, secrecy),
  }));
}

function mappings(fields: readonly Field[], secrecy: Secrecy): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map(({ name, value }) => [name, secrecy.hides(name) ? mask : value.source]));
}

/** A rule as clients see it: what computes a hidden value is hidden too. */
export function shownRule({ index, target, expression }: WatchedRule, secrecy: Secrecy): WatchedRule {
  return { index, target, expression: secrecy.hidesTarget(target) ? mask : expression };
}
