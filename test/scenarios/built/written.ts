import type { BlockSpec, ConnectorSpec } from '@svc/protocol/schema';
import type { Written } from './row.ts';

/** The port of the service, for connectors that share it. */
export const servicePort = Symbol('env("PORT")');

/** The block of a connector as a configuration has it. */
export function connectorBlock(name: string, spec: ConnectorSpec, written: Written): string {
  const driver = spec.driver === undefined ? {} : { [spec.driverWord ?? 'driver']: spec.driver };
  return `connector "${name}" {\n${body(spec.config, { type: spec.type, ...driver, ...written })}}\n`;
}

function body(spec: BlockSpec, written: Written): string {
  return Object.entries(written)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const block = spec.blocks[name];
      if (block === undefined || block.asAttribute) return `${name} = ${constant(value)}\n`;
      const each = Array.isArray(value) ? value : [value];
      return each.map((values) => labelled(name, block, values as Written)).join('');
    })
    .join('');
}

function labelled(name: string, block: BlockSpec, { label, ...values }: Written): string {
  return `${name}${label === undefined ? '' : ` "${label}"`} {\n${body(block, values)}}\n`;
}

function constant(value: unknown): string {
  if (value === servicePort) return servicePort.description as string;
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('${', '$${').replaceAll('%{', '%%{');
  if (Array.isArray(value)) return `[${value.map(constant).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)} = ${constant(member)}`);
  return `{ ${entries.join(', ')} }`;
}
