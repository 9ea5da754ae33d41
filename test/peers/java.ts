import type { Jars } from '../support/servers/brought/jars.ts';

/** What a machine lacks for programs of these archives; absent when it lacks nothing. */
export function missingFor(jars: Jars): string | undefined {
  return jars.isInstalled ? undefined : 'java, javac and mvn (apt-get install default-jdk-headless maven)';
}

/** Options of Java for a server that is used for a few minutes. */
export const brief: readonly string[] = ['-Xmx384m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
