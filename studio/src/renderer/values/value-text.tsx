import { classOfValue, preview } from './values.ts';

/** A value on one line, coloured by its type. */
export function ValueText({
  value,
  text,
  isForced,
}: {
  readonly value: unknown;
  readonly text?: string;
  readonly isForced?: boolean;
}) {
  return (
    <span className={`value ${isForced ? '' : classOfValue(value)}`}>
      {isForced ? <span className="forced">{text ?? preview(value, 200)}</span> : (text ?? preview(value, 200))}
    </span>
  );
}
