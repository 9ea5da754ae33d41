/** `assembly/json.ts` of a new plugin: values of JSON, which AssemblyScript has no type for. */
export const jsonText = String.raw`// Values of JSON. What a module is given is valid JSON, so that reading checks nothing.

export enum Kind {
  Null,
  Boolean,
  Number,
  Text,
  List,
  Object,
}

const nothing = new Array<Json>(0);
const noKeys = new Array<string>(0);

export class Json {
  isTrue: bool = false;
  number: f64 = 0;
  content: string = "";
  /** Of a list and of an object. */
  items: Array<Json> = nothing;
  /** Of an object, in the order of its items. */
  keys: Array<string> = noKeys;

  constructor(public kind: Kind) {}

  static boolean(isTrue: bool): Json {
    const made = new Json(Kind.Boolean);
    made.isTrue = isTrue;
    return made;
  }

  static number(number: f64): Json {
    const made = new Json(Kind.Number);
    made.number = number;
    return made;
  }

  static text(content: string): Json {
    const made = new Json(Kind.Text);
    made.content = content;
    return made;
  }

  static list(): Json {
    const made = new Json(Kind.List);
    made.items = [];
    return made;
  }

  static object(): Json {
    const made = new Json(Kind.Object);
    made.items = [];
    made.keys = [];
    return made;
  }

  /** A member of an object; null where it has no such member. */
  get(key: string): Json {
    const at = this.keys.indexOf(key);
    return at < 0 ? new Json(Kind.Null) : this.items[at];
  }

  /** An item of a list; null beyond its end. */
  at(index: i32): Json {
    return index < this.items.length ? this.items[index] : new Json(Kind.Null);
  }

  set(key: string, value: Json): Json {
    const at = this.keys.indexOf(key);
    if (at >= 0) this.items[at] = value;
    else {
      this.keys.push(key);
      this.items.push(value);
    }
    return this;
  }

  push(value: Json): Json {
    this.items.push(value);
    return this;
  }

  toString(): string {
    switch (this.kind) {
      case Kind.Boolean:
        return this.isTrue ? "true" : "false";
      case Kind.Number:
        return numberText(this.number);
      case Kind.Text:
        return quoted(this.content);
      case Kind.List: {
        const parts = new Array<string>(0);
        for (let at = 0; at < this.items.length; at++) parts.push(this.items[at].toString());
        return "[" + parts.join(",") + "]";
      }
      case Kind.Object: {
        const parts = new Array<string>(0);
        for (let at = 0; at < this.items.length; at++)
          parts.push(quoted(this.keys[at]) + ":" + this.items[at].toString());
        return "{" + parts.join(",") + "}";
      }
      default:
        return "null";
    }
  }
}

function numberText(number: f64): string {
  if (!isFinite(number)) return "null";
  if (Math.floor(number) == number && Math.abs(number) <= 9007199254740991) return (<i64>number).toString();
  return number.toString();
}

function quoted(text: string): string {
  let made = '"';
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code == 0x22 || code == 0x5c) made += "\\" + text.charAt(at);
    else if (code < 0x20) made += "\\u00" + (code < 0x10 ? "0" : "") + code.toString(16);
    else made += text.charAt(at);
  }
  return made + '"';
}

/** Reads a text of JSON. */
export function parse(text: string): Json {
  return new Reader(text).value();
}

class Reader {
  at: i32 = 0;

  constructor(public text: string) {}

  value(): Json {
    switch (this.next()) {
      case 0x7b:
        return this.object();
      case 0x5b:
        return this.list();
      case 0x22:
        return Json.text(this.string());
      case 0x74:
        this.at += 4;
        return Json.boolean(true);
      case 0x66:
        this.at += 5;
        return Json.boolean(false);
      case 0x6e:
        this.at += 4;
        return new Json(Kind.Null);
      default:
        return this.number();
    }
  }

  /** The next character that is not white space. */
  next(): i32 {
    while (this.at < this.text.length && this.text.charCodeAt(this.at) <= 0x20) this.at++;
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : 0;
  }

  object(): Json {
    const made = Json.object();
    this.at++;
    while (this.next() == 0x22) {
      const key = this.string();
      this.next();
      this.at++;
      made.set(key, this.value());
      if (this.next() == 0x2c) this.at++;
    }
    this.at++;
    return made;
  }

  list(): Json {
    const made = Json.list();
    this.at++;
    while (this.next() != 0x5d) {
      made.push(this.value());
      if (this.next() == 0x2c) this.at++;
    }
    this.at++;
    return made;
  }

  number(): Json {
    const start = this.at;
    while (this.at < this.text.length && "+-.0123456789eE".includes(this.text.charAt(this.at))) this.at++;
    if (this.at == start) throw new Error("this is not JSON");
    return Json.number(parseFloat(this.text.substring(start, this.at)));
  }

  string(): string {
    let made = "";
    let start = ++this.at;
    while (this.at < this.text.length) {
      const code = this.text.charCodeAt(this.at);
      if (code == 0x22) {
        made += this.text.substring(start, this.at++);
        return made;
      }
      if (code == 0x5c) {
        made += this.text.substring(start, this.at) + this.escaped();
        start = this.at;
      } else this.at++;
    }
    throw new Error("this is not JSON");
  }

  /** What is behind a backslash. */
  escaped(): string {
    const letter = this.text.charAt(this.at + 1);
    this.at += 2;
    if (letter == "n") return "\n";
    if (letter == "t") return "\t";
    if (letter == "r") return "\r";
    if (letter == "b") return "\b";
    if (letter == "f") return "\f";
    if (letter != "u") return letter;
    this.at += 4;
    return String.fromCharCode(<i32>parseInt(this.text.substring(this.at - 4, this.at), 16));
  }
}
`;
