/** What a server knows one source at a time by. */
export interface SoleMember {
  /** For people: `member "a" of group "g"`. */
  readonly name: string;
  /** The servers that it is at; another one is at the same when they have one in common. */
  readonly servers: readonly string[];
  /** Where the name is written. */
  readonly at: readonly string[];
}
