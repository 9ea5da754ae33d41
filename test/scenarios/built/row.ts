/** Attributes and blocks of a connector, by their names. */
export type Written = Readonly<Record<string, unknown>>;

/** The service in which the connectors of all rows are open, seen from outside. */
export interface Place {
  /** `http://127.0.0.1:<port>`: of connectors that listen at `env("PORT")`. */
  readonly address: string;
  /** Sends a text to the flow that `sending` writes for a connector, and answers with the text of its answer. */
  call(name: string, text: string): Promise<unknown>;
  /** Answers with the text when the flow that `taking` writes for a connector has reported it. */
  reported(name: string, text: string): Promise<unknown>;
}

/** Passes a text through a connector, and answers with what has come out at the other side. */
type Pass = (text: string, place: Place) => Promise<unknown>;

/** What a connector of a row speaks with, and how it is used. */
export interface OtherEnd {
  /** What its block says beside what the row has chosen. */
  readonly block?: Written;
  /** The flows that use it, and what else they need. */
  readonly hcl: string;
  /** Files of the configuration, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  /** How a message is taken; of an event source. */
  readonly takes?: Pass;
  /** How a message is sent; of a target. Absent: by the flow that `sending` writes. */
  readonly sends?: Pass;
  close?(): unknown;
}

/** A connector of the service. */
export interface Row {
  /** Its name in the configuration. */
  readonly name: string;
  /** Its folder in the catalogue. */
  readonly connector: string;
  /** The attributes that choose between parts of the program. */
  readonly chosen?: Written;
  /** The server that it speaks with is not here. */
  readonly isMissing?: boolean;
  /** It connects, when it is opened, to what the connector of another row serves. */
  readonly asksAnother?: boolean;
  start(name: string): OtherEnd | Promise<OtherEnd>;
}

/**
 * A flow that asks a connector for something with `input.text`, and then for something else where there is a second step
 * (`read`). `answer` is the text of what it is answered.
 */
export function sending(name: string, step: string, answer = 'input.text', read?: string): string {
  const steps = Object.entries({ sent: step, read }).map(([label, words]) =>
    words === undefined ? '' : `  step "${label}" {\n    connector = "${name}"\n    ${words}\n  }\n`,
  );
  return `
flow "${name}_sends" {
  from {
    connector = "api"
    operation = "POST /${name}"
  }
${steps.join('')}
  response {
    text = ${JSON.stringify(answer)}
  }
}
`;
}

/** A flow that hands `input.text` over to a connector; `to` are words of its destination. */
export function handing(name: string, to: string, field = 'text'): string {
  return `
flow "${name}_sends" {
  from {
    connector = "api"
    operation = "POST /${name}"
  }
  transform {
    ${field} = "input.text"
  }
  to {
    connector = "${name}"
    ${to}
  }
  response {
    text = "input.text"
  }
}
`;
}

/** A flow that takes messages of a connector and reports their texts; `from` are further words. */
export function taking(name: string, from: string, text = 'input.text'): string {
  return `
flow "${name}_takes" {
  from {
    connector = "${name}"
    ${from}
  }
  transform {
    text = ${JSON.stringify(text)}
  }
  to {
    connector = "collector"
    operation = "POST /${name}"
  }
}
`;
}

/** A flow that answers messages of a connector with their texts; `words` are further words of the flow. */
export function answering(name: string, from: string, words = ''): string {
  return `
flow "${name}_takes" {
  ${words}
  from {
    connector = "${name}"
    ${from}
  }
  response {
    text = "input.text"
  }
}
`;
}

/** What is sent by a connector is taken by itself, and reported. */
export function throughItself(name: string): Pick<OtherEnd, 'takes' | 'sends'> {
  const pass: Pass = async (text, place) => {
    await place.call(name, text);
    return place.reported(name, text);
  };
  return { takes: pass, sends: pass };
}

/** What is sent by another connector is taken by this one, which answers it. */
export function through(caller: string): Pick<OtherEnd, 'takes'> {
  return { takes: (text, place) => place.call(caller, text) };
}
