import { type Place, point, query, script, values } from './place.ts';

const nested: Place = { like: 'nestedSort' };

/** Which objects below a document its order follows. */
export const nestedSort: Place = { keys: { ...values('path', 'max_children'), filter: query, nested } };

const order = values('order', 'mode', 'missing', 'unmapped_type', 'format', 'numeric_type', 'nested_path');

/** The order of hits: names of fields, each with how it is sorted. */
export const sort: Place = {
  value: true,
  keys: {
    _script: { keys: { ...order, ...values('type'), script, nested } },
    _geo_distance: { keys: { ...order, ...values('unit', 'distance_type', 'ignore_unmapped'), nested }, rest: point },
  },
  rest: { value: true, keys: { ...order, nested, nested_filter: query } },
};
