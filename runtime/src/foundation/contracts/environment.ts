/** The three kinds of environment that have a meaning; any other name counts as development. */
export type EnvironmentGroup = 'development' | 'staging' | 'production';
