/**
 * An object for fields that messages and configurations name: nothing is inherited, so no name can mean anything else
 * (`__proto__`, `constructor`), and it stays as fast as an object literal, which `Object.create(null)` does not.
 */
export const Fields = function Fields() {} as unknown as new () => Record<string, unknown>;
Fields.prototype = Object.freeze(Object.create(null) as object);
