/** The services that say what a server defines, the older one last. */
export const reflectionServices = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'];

export function reflectionPath(service: string): string {
  return `/${service}/ServerReflectionInfo`;
}
