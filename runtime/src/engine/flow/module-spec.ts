import { duration, int, oneOf, size } from '@svc/protocol/schema';

/** How a lone `i32` result is to be read: a length (u32, little endian) before the JSON text, or a NUL behind it. */
export const abis = ['length-prefixed', 'nul-terminated'] as const;

/** What bounds each module: time and size of a call, memory, and how many calls run at the same time. */
export const moduleLimits = {
  timeout: duration('Longest time of one call; then it is ended, and fails alone.', {
    default: 1_000,
    min: 1,
    max: 600_000,
  }),
  max_memory_mb: int(
    'Memory of one instance of a module, in MiB. What asks for more is answered that there is no more.',
    {
      default: 64,
      min: 1,
      max: 4_096,
    },
  ),
  max_bytes: size('Largest input of a call, and largest result.', { default: 1_048_576, min: 1, max: 268_435_456 }),
  instances: int(
    'Instances of a module, each with a thread and memory of its own, which does one call at a time. The first one begins with the service, others when calls wait.',
    { default: 1, min: 1, max: 64 },
  ),
};

/** How results of functions are read that give a lone `i32`. */
export const abi = oneOf(
  'How a result is read of which a function gives the address alone: its length (u32, little endian) is before the JSON text, or a NUL is behind it. The signature of the function says other forms.',
  abis,
  { default: 'length-prefixed' },
);

/** What is said of the path of a module that a block of the configuration names. */
export const moduleFileDoc = 'The module (WebAssembly), relative to the configuration directory.';

/** A function that is exported, with the names of what it takes: `score`, `score(order, rate)`. */
export const functionPattern = {
  source: '^[A-Za-z_]\\w*(\\(\\s*([A-Za-z_]\\w*(\\s*,\\s*[A-Za-z_]\\w*){0,4})?\\s*\\))?$',
  says: 'must be a name, or a name with the names of at most five arguments: score(order, rate)',
};
