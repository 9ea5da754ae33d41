/** What a new plugin can provide. */
export const kinds = ['connector', 'validator', 'sanitizer', 'function'] as const;

export type Kind = (typeof kinds)[number];

/** What differs between new plugins of different kinds. */
export interface KindFiles {
  /** `assembly/index.ts`. */
  readonly index: string;
  /** What is inside `provides` of the manifest. */
  readonly provides: string;
  /** Cases of `tests/cases.json`. */
  readonly cases: readonly object[];
  /** How a service uses it, for the README. */
  readonly use: string;
}

/** The files of a kind. `name` is that of the plugin, `id` the same as a name of functions. */
export const kindFiles: Readonly<Record<Kind, (name: string, id: string) => KindFiles>> = {
  function: (name, id) => ({
    index: `import { answer, failure, input } from "./abi";
import { Json, Kind } from "./json";

export { alloc, free } from "./abi";

/** Small letters and digits of a text with dashes between its words: "Hello, World" becomes "hello-world". */
export function ${id}_of(address: usize, length: i32): usize {
  const given = input(address, length).get("args").at(0);
  if (given.kind != Kind.Text) return failure("${id}_of() takes a text");
  const text = given.content.toLowerCase();
  let made = "";
  let isBetween = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x61 || code > 0x7a) && (code < 0x30 || code > 0x39)) isBetween = true;
    else {
      if (isBetween && made != "") made += "-";
      made += text.charAt(at);
      isBetween = false;
    }
  }
  return answer(Json.object().set("result", Json.text(made)));
}
`,
    provides: `  functions {
    wasm          = "${name}.wasm"
    exports       = ["${id}_of(text)"]
    deterministic = ["${id}_of"]
  }
`,
    cases: [
      {
        name: 'words are joined',
        call: `${id}_of`,
        input: { args: ['Hello, World'] },
        expect: { result: 'hello-world' },
      },
      { name: 'an empty text stays empty', call: `${id}_of`, input: { args: [''] }, expect: { result: '' } },
      { name: 'a number is refused', call: `${id}_of`, input: { args: [3] }, error: 'takes a text' },
    ],
    use: `transform {
  slug = "${id}_of(input.title)"
}
`,
  }),
  validator: (name, id) => ({
    index: `import { input } from "./abi";
import { Kind } from "./json";

export { alloc, free } from "./abi";

/** Whether a value is a text of digits whose last one is right by the algorithm of Luhn (ISO/IEC 7812-1). */
export function validate_${id}(address: usize, length: i32): i32 {
  const value = input(address, length).get("value");
  if (value.kind != Kind.Text || value.content.length < 2) return 0;
  const text = value.content;
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    let digit = text.charCodeAt(text.length - 1 - at) - 0x30;
    if (digit < 0 || digit > 9) return 0;
    if (at % 2 == 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 == 0 ? 1 : 0;
}
`,
    provides: `  validator "${name}" {
    wasm       = "${name}.wasm"
    entrypoint = "validate_${id}"
    message    = "must be a number with a right check digit"
  }
`,
    cases: [
      { name: 'a right number passes', call: `validate_${id}`, input: { value: '79927398713' }, expect: true },
      { name: 'a wrong digit does not', call: `validate_${id}`, input: { value: '79927398710' }, expect: false },
      { name: 'letters do not', call: `validate_${id}`, input: { value: 'a number' }, expect: false },
      { name: 'what is not a text does not', call: `validate_${id}`, input: { value: 18 }, expect: false },
    ],
    use: `type "order" {
  card = string({ validator = "${name}" })
}
`,
  }),
  sanitizer: (name) => ({
    index: `import { answer, failure, input } from "./abi";
import { Json, Kind } from "./json";

export { alloc, free } from "./abi";

/** The message with white space taken from both ends of its texts. Refuses one whose texts hold a script of HTML. */
export function sanitize(address: usize, length: i32): usize {
  const message = input(address, length);
  return holdsScript(message) ? failure("scripts are refused") : answer(trimmed(message));
}

function holdsScript(value: Json): bool {
  if (value.kind == Kind.Text) return value.content.toLowerCase().includes("<script");
  for (let at = 0; at < value.items.length; at++) if (holdsScript(value.items[at])) return true;
  return false;
}

function trimmed(value: Json): Json {
  if (value.kind == Kind.Text) return Json.text(value.content.trim());
  for (let at = 0; at < value.items.length; at++) value.items[at] = trimmed(value.items[at]);
  return value;
}
`,
    provides: `  sanitizer "${name}" {
    wasm = "${name}.wasm"
  }
`,
    cases: [
      {
        name: 'texts are trimmed, wherever they are',
        call: 'sanitize',
        input: { name: ' Ada ', tags: [' a', 'b '], age: 36 },
        expect: { name: 'Ada', tags: ['a', 'b'], age: 36 },
      },
      { name: 'a script is refused', call: 'sanitize', input: { note: '<SCRIPT>' }, error: 'scripts are refused' },
    ],
    use: `# It is given every message, before anything else is done with it. Without its own apply_to and fields in
# plugin.hcl, that is the whole message of every flow.
`,
  }),
  connector: (name) => ({
    index: `import { answer, failure, input } from "./abi";
import { Json, Kind } from "./json";

export { alloc, free } from "./abi";

const greetings = new Map<string, string>();
greetings.set("de", "Hallo");
greetings.set("en", "Hello");
greetings.set("es", "Hola");

/** What the block of the connector says. */
class Settings {
  static language: string = "";
}

/** Called for each new instance with what the block of the connector says. What it refuses ends the start. */
export function init(address: usize, length: i32): usize {
  const language = input(address, length).get("language").content;
  if (!greetings.has(language)) return failure("the language " + language + " is unknown");
  Settings.language = language;
  return answer(Json.object());
}

/** Rows of the target: here the greetings, or those of the languages that filters name. */
export function read(address: usize, length: i32): usize {
  const wanted = input(address, length).get("filters").get("language");
  const rows = Json.list();
  const languages = greetings.keys();
  for (let at = 0; at < languages.length; at++)
    if (wanted.kind == Kind.Null || wanted.content == languages[at])
      rows.push(
        Json.object()
          .set("language", Json.text(languages[at]))
          .set("text", Json.text(greetings.get(languages[at]))),
      );
  return answer(Json.object().set("rows", rows));
}

/** Takes what is written. The memory of an instance ends with it: nothing is kept here for good. */
export function write(address: usize, length: i32): usize {
  const payload = input(address, length).get("payload");
  const text = payload.get("text");
  if (text.kind != Kind.Text) return failure("a greeting needs a text");
  greetings.set(payload.get("language").content, text.content);
  return answer(Json.object().set("affected", Json.number(1)));
}

/** Carries out an operation: here "greet". */
export function call(address: usize, length: i32): usize {
  const asked = input(address, length);
  const operation = asked.get("operation").content;
  if (operation != "greet") return failure("there is no operation " + operation);
  const name = asked.get("params").get("name").content;
  return answer(Json.object().set("data", Json.text(greetings.get(Settings.language) + ", " + name)));
}

/** Asked for the health of the service. */
export function health(address: usize, length: i32): usize {
  return answer(Json.object().set("healthy", Json.boolean(true)));
}
`,
    provides: `  connector "${name}" {
    wasm        = "${name}.wasm"
    description = "Greetings in a few languages."

    config {
      language = string({ default = "en", description = "Language of greetings." })
    }
  }
`,
    cases: [
      {
        name: 'rows are read by their language',
        call: 'read',
        input: { target: 'greetings', filters: { language: 'es' } },
        expect: { rows: [{ language: 'es', text: 'Hola' }] },
      },
      {
        name: 'a person is greeted in the language of the connector',
        call: 'call',
        config: { language: 'de' },
        input: { operation: 'greet', params: { name: 'Ada' } },
        expect: { data: 'Hallo, Ada' },
      },
      {
        name: 'a greeting is written',
        call: 'write',
        input: { target: 'greetings', operation: 'INSERT', payload: { language: 'fr', text: 'Salut' } },
        expect: { affected: 1 },
      },
      { name: 'a greeting without a text is refused', call: 'write', input: { payload: {} }, error: 'needs a text' },
      {
        name: 'an unknown language ends the start',
        call: 'init',
        input: { language: 'xx' },
        error: 'the language xx is unknown',
      },
      { name: 'it is healthy', call: 'health', input: {}, expect: { healthy: true } },
    ],
    use: `connector "greetings" {
  type     = "${name}"
  language = "de"
}

flow "greet" {
  from {
    connector = "api"
    operation = "GET /greetings/:name"
  }
  step "greeting" {
    connector = "greetings"
    operation = "greet"
    params    = { name = "input.name" }
  }
  response {
    text = "step.greeting"
  }
}
`,
  }),
};
