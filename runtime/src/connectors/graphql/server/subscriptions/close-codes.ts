/** Why a connection of `graphql-transport-ws` is closed, beside what graphql-ws closes itself (its PROTOCOL.md). */
export const CloseCode = {
  goingAway: 1001,
  tryAgainLater: 1013,
  badRequest: 4400,
  forbidden: 4403,
  internal: 4500,
} as const;
