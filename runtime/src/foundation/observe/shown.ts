/** A value that is more than what logs may show of it says here what they show. */
export const shown: unique symbol = Symbol('shown');
