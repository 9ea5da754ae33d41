/** Scalars that every schema has beside those of GraphQL. */
export const everyScalar = ['JSON', 'DateTime', 'Date', 'Time'] as const;
