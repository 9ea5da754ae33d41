/** Static types of the expression language. `dyn` is known only at run time. */
export type CelType =
  | { readonly kind: 'dyn' | 'int' | 'uint' | 'double' | 'bool' | 'string' | 'bytes' | 'null_type' }
  | { readonly kind: 'timestamp' | 'duration' | 'type' | 'error' }
  | { readonly kind: 'list' | 'optional'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  /** A map whose fields are known, such as `auth` or a message described by a type block. Others are absent. */
  | { readonly kind: 'struct'; readonly fields: Readonly<Record<string, CelType>>; readonly open: boolean };

const simple = <K extends 'dyn' | 'int' | 'uint' | 'double' | 'bool' | 'string' | 'bytes' | 'null_type'>(kind: K) =>
  Object.freeze({ kind });

export const dyn: CelType = simple('dyn');
export const int: CelType = simple('int');
export const uint: CelType = simple('uint');
export const double: CelType = simple('double');
export const bool: CelType = simple('bool');
export const string: CelType = simple('string');
export const bytes: CelType = simple('bytes');
export const nullType: CelType = simple('null_type');
export const timestamp: CelType = Object.freeze({ kind: 'timestamp' });
export const duration: CelType = Object.freeze({ kind: 'duration' });
export const list = (element: CelType): CelType => ({ kind: 'list', element });
export const map = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value });
export const struct = (fields: Readonly<Record<string, CelType>>, open = false): CelType => ({
  kind: 'struct',
  fields,
  open,
});
