import avro from 'avsc';

interface WrittenDecimal {
  readonly precision?: unknown;
  readonly scale?: unknown;
}

/** What the library keeps of a logical type: values are those of the type below it. */
class Plain extends avro.types.LogicalType {
  protected override _fromValue(value: unknown) {
    return value;
  }
  protected override _toValue(value: unknown) {
    return value;
  }
  protected override _resolve() {
    return undefined;
  }
}

/** A number with a fixed count of digits behind the point. */
export class Decimal extends Plain {
  readonly precision: number;
  readonly scale: number;

  constructor(written: WrittenDecimal, options: unknown) {
    super(written as never, options as never);
    const { precision, scale = 0 } = written;
    if (typeof precision !== 'number' || typeof scale !== 'number' || !(scale >= 0 && scale <= precision))
      throw new Error('a decimal needs a precision, and a scale that is not larger');
    this.precision = precision;
    this.scale = scale;
  }
}

/** Logical types that values are turned into; of others the type below them is read. */
export const logicalTypes = {
  decimal: Decimal,
  date: Plain,
  'timestamp-millis': Plain,
  'timestamp-micros': Plain,
} as Readonly<Record<string, new (...parameters: never[]) => unknown>>;
