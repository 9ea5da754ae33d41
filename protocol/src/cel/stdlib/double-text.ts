/** A double as text: the shortest digits that read back as it, whole numbers without fraction, exponents of two digits. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const text = String(value);
  const exponent = /^(.*)e([+-])(\d+)$/.exec(text);
  return exponent ? `${exponent[1]}e${exponent[2]}${(exponent[3] as string).padStart(2, '0')}` : text;
}
