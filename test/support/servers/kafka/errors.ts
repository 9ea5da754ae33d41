/** Error codes of the Kafka protocol that the stand-in answers with. */
export const errors = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopic: 3,
  leaderNotAvailable: 5,
  notLeader: 6,
  tooLarge: 10,
  coordinatorNotAvailable: 15,
  notEnoughReplicas: 19,
  notCoordinator: 16,
  illegalGeneration: 22,
  unknownMember: 25,
  rebalanceInProgress: 27,
  topicAuthorizationFailed: 29,
  groupAuthorizationFailed: 30,
  unsupportedMechanism: 33,
  unsupportedVersion: 35,
  topicExists: 36,
  outOfOrderSequence: 45,
  invalidProducerEpoch: 47,
  clusterAuthorizationFailed: 31,
  saslFailed: 58,
  unknownProducerId: 59,
  memberIdRequired: 79,
  fencedInstance: 82,
} as const;

/** An answer of the protocol that says what is wrong. */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`error ${code}`);
    this.code = code;
  }
}
