import { ModuleRefused, numberBytes } from './bytes.ts';
import type { ModuleShape } from './shape.ts';

const pageSize = 65_536;
const wide = 4;

/**
 * The module with its memory limited to so many MiB: growing beyond fails inside it, as it would where a machine has no
 * more. Throws ModuleRefused where it needs more from the beginning.
 */
export function withMemoryLimit(bytes: Uint8Array, shape: ModuleShape, megabytes: number): Uint8Array<ArrayBuffer> {
  const { limits, memorySection } = shape;
  const [memory] = limits;
  if (memory === undefined || memorySection === undefined) throw new ModuleRefused('it has no memory');
  if (limits.length > 1) throw new ModuleRefused(`it has ${limits.length} memories; a plugin has one`);
  if ((memory.flags & wide) !== 0) throw new ModuleRefused('its memory has 64 bit addresses; a plugin has 32 bit ones');
  const pages = Math.min(65_536, Math.floor((megabytes * 1024 * 1024) / pageSize));
  if (memory.least > pages)
    throw new ModuleRefused(
      `it begins with ${Math.ceil((memory.least * pageSize) / 2 ** 20)} MiB of memory, more than its max_memory_mb of ${megabytes}`,
    );
  const content = [
    1,
    memory.flags | 1,
    ...numberBytes(memory.least),
    ...numberBytes(Math.min(pages, memory.most ?? pages)),
  ];
  const section = [5, ...numberBytes(content.length), ...content];
  const limited = new Uint8Array(bytes.length - (memorySection.end - memorySection.start) + section.length);
  limited.set(bytes.subarray(0, memorySection.start));
  limited.set(section, memorySection.start);
  limited.set(bytes.subarray(memorySection.end), memorySection.start + section.length);
  return limited;
}
