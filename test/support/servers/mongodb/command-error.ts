import type { Fields } from './wire.ts';

/** A command fails: what the server answers, with the codes of MongoDB. */
export class CommandError extends Error {
  readonly answer: Fields;

  constructor(code: number, codeName: string, errmsg: string, more: Fields = {}) {
    super(errmsg);
    this.answer = { ok: 0, code, codeName, errmsg, ...more };
  }
}

/** One document of a write fails, and the command continues or ends by its `ordered`. */
export class WriteError extends Error {
  readonly fields: Fields;

  constructor(fields: Fields) {
    super(String(fields['errmsg']));
    this.fields = fields;
  }
}
