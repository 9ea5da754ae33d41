export * from './engine.ts';
export * from './types.ts';
