import { type DocumentNode, GraphQLError, parse } from 'graphql';
import { type Measured, measure } from './measure.ts';
import { refusedFor } from './refusals.ts';
import type { Limits } from './spec.ts';

/** Reads the text of a document, or says why it is refused. Never throws. */
export type ReadDocument = (text: string) => DocumentNode | GraphQLError;

/** What documents are read by. */
export interface DocumentSettings {
  readonly limits: Limits;
  /** Whether a document may ask for the schema. */
  readonly introspection: boolean;
  /** Errors say how a limit is raised outside production alone. */
  readonly production: boolean;
  /** The connector, for errors. */
  readonly connector: string;
}

/** Characters of a document: reading takes time for each of them, however few tokens they are. */
const longest = 262_144;

/** Reads documents within limits: what is beyond them is refused before it is validated and compiled. */
export function documentReader(settings: DocumentSettings): ReadDocument {
  const { limits, introspection, production, connector } = settings;
  const beyond = (limit: keyof Limits, said: string) => {
    const remedy = production ? '' : `; \`limits { ${limit} }\` of connector "${connector}" allows more`;
    return new GraphQLError(`${said}${remedy}`);
  };
  const excess = (measured: Measured): GraphQLError | undefined => {
    for (const limit of ['depth', 'aliases', 'directives', 'cost'] as const)
      if (measured[limit] > limits[limit]) return beyond(limit, said[limit](limits[limit]));
    return undefined;
  };
  return (text) => {
    if (text.length > longest)
      return new GraphQLError(`the document is longer than ${longest} characters; large values are sent as variables`);
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: limits.tokens });
    } catch (error) {
      if (!(error instanceof GraphQLError)) return tooDeep();
      return tokensExceeded.test(error.message)
        ? beyond('tokens', `the document has more than ${limits.tokens} tokens`)
        : error;
    }
    try {
      const measured = measure(document);
      if ('cycle' in measured) return new GraphQLError(`the fragment "${measured.cycle}" is used within itself`);
      for (const operation of measured) {
        const refusal = excess(operation);
        if (refusal !== undefined) return refusal;
      }
      return refusedFor(document, introspection) ?? document;
    } catch {
      return tooDeep();
    }
  };
}

/** The parser counts tokens, and says so in this way alone. */
const tokensExceeded = /^Syntax Error: Document contains more that \d+ tokens/;

const said = {
  depth: (most: number) => `the document asks for more than ${most} fields inside each other`,
  aliases: (most: number) => `the document has more than ${most} aliases`,
  directives: (most: number) => `the document has more than ${most} directives`,
  cost: (most: number) => `the document costs more than ${most}`,
};

/** Values or selections inside each other beyond the stack of the parser, which high limits on tokens allow. */
function tooDeep(): GraphQLError {
  return new GraphQLError('the document is nested too deeply');
}
