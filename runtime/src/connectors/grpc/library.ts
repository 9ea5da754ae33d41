import type * as Grpc from '@grpc/grpc-js';

/** The library of both directions, loaded when a connector opens. In a bundle its parts are those of the default export. */
export async function loadLibrary(): Promise<typeof Grpc> {
  const loaded = (await import('@grpc/grpc-js')) as typeof Grpc & { readonly default?: typeof Grpc };
  return loaded.default ?? loaded;
}
