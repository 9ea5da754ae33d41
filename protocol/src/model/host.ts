/** What evaluating a configuration may ask of the machine. A browser refuses both files and variables. */
export interface ConfigurationHost {
  /** Value of an environment variable, `.env` included; undefined when it is not set. */
  env(name: string): string | undefined;
  /** Text of a file named in a configuration. Throws an Error whose message says why it cannot be read. */
  readFile(path: string): string;
  /** Absolute form of a path named in a configuration. */
  absolutePath(path: string): string;
  /**
   * The absolute path where a named file should be and is not; undefined when it is there. Absent: it cannot be known.
   */
  missingFile?(path: string): string | undefined;
  /**
   * Where a named file is instead of its place: it is found from the working directory alone. Undefined when it is
   * in its place, or nowhere.
   */
  misplacedFile?(path: string): string | undefined;
}
