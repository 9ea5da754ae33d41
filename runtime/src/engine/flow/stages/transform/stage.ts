import type { CelSource, Origin, Values } from '@svc/protocol/schema';
import { Mapping } from '../../compile/mapping.ts';
import type { Selection } from '../../compile/selection.ts';
import { asPayload } from '../../compile/whole-input.ts';
import type { StepPart } from '../../message/part.ts';
import { whenDone } from '../../message/when-done.ts';
import { type FlowModel, shapesRows, writes } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';

/** Fields of a mapping as they are decoded. */
type MappingFields = readonly { readonly name: string; readonly value: CelSource; readonly origin: Origin }[];

/** Compiles the fields of a mapping block; `title` begins the messages of its failures. */
export function compileMapping(
  fields: MappingFields,
  title: string,
  tools: FlowTools,
  extra?: readonly string[],
): Mapping {
  return new Mapping(
    fields.map(({ name, value }) => ({ name, expression: tools.expression(value, `${title}: ${name}`, extra) })),
  );
}

/** The same for fields of an outgoing payload. */
export function compilePayload(fields: MappingFields, title: string, tools: FlowTools): Mapping {
  return new Mapping(
    fields.map(({ name, value }) => ({ name, expression: asPayload(tools.expression(value, `${title}: ${name}`)) })),
  );
}

/** The transform of a flow; undefined when it has no fields. */
export function transformOf(
  { values }: { readonly values: Pick<Values<typeof import('../../spec.ts').flow>, 'transform'> },
  tools: FlowTools,
  compile = compileMapping,
): Mapping | undefined {
  const fields = values.transform?.fields ?? [];
  return fields.length === 0 ? undefined : compile(fields, 'transform', tools);
}

/** Builds `output` field by field; a field sees those above it. */
export function transform(model: FlowModel, tools: FlowTools, selection?: Selection): StepPart[] {
  const mapping = shapesRows(model)
    ? undefined
    : transformOf(model, tools, writes(model) ? compilePayload : compileMapping);
  if (mapping === undefined) return [];
  const wanted = selection && mapping.names.map(selection.field);
  return [
    {
      stage: 'transform',
      name: '',
      title: 'transform',
      rules: mapping.rules,
      step: (frame) => {
        const output = mapping.start();
        frame.output = output;
        frame.shaped = output;
        frame.shaping = mapping;
        if (wanted === undefined || frame.message.requested === undefined) mapping.fill(frame, output);
        else mapping.fillOnly(frame, output, wanted);
        return undefined;
      },
      ruled: (watch) => (frame) => {
        const output = mapping.start();
        frame.output = output;
        frame.shaped = output;
        frame.shaping = mapping;
        return whenDone(mapping.fillWatched(frame, output, watch, undefined, wanted), () => undefined);
      },
    },
  ];
}
