import { Fields as EmptyFields } from '@svc/protocol/cel';
import type { Naming } from '../../../../foundation/contracts/target.ts';
import type { Frame } from '../../message/frame.ts';
import type { FlowModel } from '../../model.ts';
import type { Destination } from './destination.ts';
import { addressFilters, type Fields, inputPayload, ownFields } from './payload.ts';

/** What names the row that a message updates or deletes, beside filters; `payload` is what the flow writes. */
export type NameRow = (frame: Frame, payload: Fields | undefined, params: Fields | undefined) => Naming;

/**
 * Decides at start which fields may name a row (docs/specification/rows.md): those of the flow's own transform and
 * parameters, then those that the caller sent, which may be a flow. What the source says of its message names none. Where
 * nothing is built the message itself is what is written, so that its fields are the flow's.
 */
export function naming(model: FlowModel, { values }: Pick<Destination, 'values'>): NameRow {
  const isBuilt = (model.values.transform?.fields.length ?? 0) > 0 || values.transform !== undefined;
  const { source } = model;
  const isCalled = source?.names === 'arguments';
  const given = givenFields(source, isBuilt || values.params !== undefined, model);
  return (frame, payload, params) => {
    const { sourced } = frame.message;
    return {
      made: isBuilt ? { ...payload, ...params } : (params ?? none),
      given: sourced === undefined ? given(frame) : without(ownFields(frame), new Set(sourced)),
      isCalled: isCalled && sourced === undefined,
    };
  };
}

/** What the source behind a message says of it: the source of the flow, else that of the flow that called it. */
export function sourcedNames({ source }: Pick<FlowModel, 'source'>): (message: Frame['message']) => readonly string[] {
  const own = Object.keys(source?.input ?? {});
  return ({ sourced }) => sourced ?? own;
}

const none: Fields = Object.freeze({});

function givenFields(source: FlowModel['source'], isMade: boolean, model: FlowModel): (frame: Frame) => Fields {
  const said = new Set(Object.keys(source?.input ?? {}));
  if (source === undefined || source.names !== undefined) return (frame) => without(ownFields(frame), said);
  if (isMade) return () => none;
  const message = inputPayload(model);
  return (frame) => without(message(frame), said);
}

/** The fields that have another name than these. */
export function without(fields: Fields, names: ReadonlySet<string>): Fields {
  const rest: Fields = new EmptyFields();
  for (const name in fields) if (!names.has(name)) rest[name] = fields[name];
  return rest;
}

/** What may fill the path of a request: path parameters, and an `id` that the sender gave. */
export function pathFields({ source }: Pick<FlowModel, 'source'>): (frame: Frame) => Fields {
  const sourced = sourcedNames({ source });
  return (frame) => {
    const fields = addressFilters(frame);
    const { input } = frame;
    if (!sourced(frame.message).includes('id') && Object.hasOwn(input, 'id') && input['id'] !== undefined)
      fields['id'] = input['id'];
    return fields;
  };
}
