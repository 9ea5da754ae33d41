import type { Facts, Schema } from '../../platform/formats/openapi/schema.ts';
import type { Comparison } from './comparison.ts';

/** Formats that a configuration has a word for; the others say how a value is kept or shown. */
const formats: Readonly<Record<string, string>> = {
  email: 'email',
  uri: 'uri',
  url: 'uri',
  uuid: 'uuid',
  date: 'date',
  'date-time': 'date-time',
  ipv4: 'ip',
  ipv6: 'ip',
  ip: 'ip',
  phone: 'phone',
};

/** Compares what two schemas of one type ask of a value. */
export function compareConstraints(
  contract: Schema,
  served: Schema,
  { direction, isElement }: Pick<Comparison, 'direction' | 'isElement'>,
  report: (isBreaking: boolean, says: string) => void,
): void {
  const [a, b] = [contract.facts, served.facts];
  const isRequest = direction === 'request';
  /** Of two rules, whether the one here lets less through, more, or something else. */
  const found = (name: string, here: unknown, there: unknown, isStricter: boolean, isLooser: boolean) => {
    if (!isStricter && !isLooser) return;
    const isBreaking = !isElement && (isRequest ? isStricter : isLooser);
    report(isBreaking, `has ${shown(name, here)} here, and ${shown(name, there)} in the contract`);
  };
  const isWhole = contract.types?.size === 1 && contract.types.has('integer');
  const least = (name: string, here: number | undefined, there: number | undefined) =>
    found(name, here, there, (here ?? -Infinity) > (there ?? -Infinity), (here ?? -Infinity) < (there ?? -Infinity));
  const most = (name: string, here: number | undefined, there: number | undefined) =>
    found(name, here, there, (here ?? Infinity) < (there ?? Infinity), (here ?? Infinity) > (there ?? Infinity));
  least('minimum', lowest(b, isWhole), lowest(a, isWhole));
  most('maximum', highest(b, isWhole), highest(a, isWhole));
  least('minLength', b.minLength || undefined, a.minLength || undefined);
  most('maxLength', b.maxLength, a.maxLength);
  least('minItems', b.minItems || undefined, a.minItems || undefined);
  most('maxItems', b.maxItems, a.maxItems);
  const [here, there] = [formats[b.format ?? ''], formats[a.format ?? '']];
  if (here !== there) found('format', here, there, here !== undefined, there !== undefined);
  const [own, other] = [b.patterns?.join(' and '), a.patterns?.join(' and ')];
  if (own !== other) found('pattern', own, other, own !== undefined, other !== undefined);
  found('enum', b.enum, a.enum, lacks(b.enum, a.enum), lacks(a.enum, b.enum));
  if (isRequest && JSON.stringify(a.default) !== JSON.stringify(b.default))
    report(false, `has ${shown('default', b.default)} here, and ${shown('default', a.default)} in the contract`);
}

/** Whether some allowed value of the second list is not in the first. */
function lacks(list: readonly unknown[] | undefined, other: readonly unknown[] | undefined): boolean {
  if (list === undefined) return false;
  return other === undefined || other.some((value) => !list.includes(value));
}

/** The smallest number; of whole numbers an excluded bound is the next one. */
function lowest({ minimum, above }: Facts, isWhole: boolean): number | undefined {
  if (above === undefined) return minimum;
  return Math.max(minimum ?? -Infinity, isWhole ? Math.floor(above) + 1 : above);
}

function highest({ maximum, below }: Facts, isWhole: boolean): number | undefined {
  if (below === undefined) return maximum;
  return Math.min(maximum ?? Infinity, isWhole ? Math.ceil(below) - 1 : below);
}

function shown(name: string, value: unknown): string {
  if (value === undefined) return `no ${name}`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${name} ${text.length > 80 ? `${text.slice(0, 80)}…` : text}`;
}
