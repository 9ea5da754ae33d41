/** The text of a file, and what its bytes say that no text can. */
export interface DecodedText {
  /** Each sequence of bytes that is not UTF-8 is U+FFFD here. A byte order mark stays at the start. */
  readonly text: string;
  /** Absent where the file could be read, and its bytes are UTF-8. */
  readonly unreadable?: Unreadable | undefined;
}

/** Why a text is not what the file holds: writing it back would change the file. */
export interface Unreadable {
  /** Offset in the text. */
  readonly at: number;
  readonly message: string;
  readonly code: 'syntax-encoding' | 'unreadable-file';
  readonly help: string;
}
