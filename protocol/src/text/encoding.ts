/** The text of a file, and what its bytes say that no text can. */
export interface DecodedText {
  /** Each sequence of bytes that is not UTF-8 is U+FFFD here. A byte order mark stays at the start. */
  readonly text: string;
  /** Absent where the bytes are UTF-8. */
  readonly notUtf8?: NotUtf8 | undefined;
}

/** Why bytes are not UTF-8: writing the text back would change the file. */
export interface NotUtf8 {
  /** Offset in the text. */
  readonly at: number;
  readonly message: string;
}
