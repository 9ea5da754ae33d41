/** The test that shows what an attribute does: its file and its title. */
export type Proof = readonly [file: string, title: string];
