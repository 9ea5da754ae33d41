/** The header that carries the id of a message. */
export const idHeader = 'message-id';

/** The headers that say where a dead letter comes from. */
export const originHeaders: readonly string[] = ['x-svc-topic', 'x-svc-partition', 'x-svc-offset'];

/** The header of a dead letter that is a batch of messages which could not be read. */
export const batchHeader = 'x-svc-batch';
