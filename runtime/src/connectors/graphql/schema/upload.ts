import { GraphQLError, GraphQLScalarType } from 'graphql';
import { Content } from '../../../foundation/contracts/content.ts';

/** A file of the request, of a schema that declares `scalar Upload`. Answers never have it. */
export const upload = new GraphQLScalarType({
  name: 'Upload',
  description: 'A file of the request.',
  serialize: () => {
    throw new GraphQLError('Upload is for files of requests');
  },
  parseValue: (value) => {
    if (value instanceof Content) return value;
    throw new GraphQLError('Upload must be a file of the request, at this place in the map of its form');
  },
  parseLiteral: () => {
    throw new GraphQLError('Upload must be a variable');
  },
});
