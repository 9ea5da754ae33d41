import wabt from 'wabt';

let toolkit: ReturnType<typeof wabt> | undefined;

/** The bytes of a module that is written as text (https://webassembly.github.io/spec/core/text/). */
export async function assemble(source: string): Promise<Uint8Array> {
  toolkit ??= wabt();
  const module = (await toolkit).parseWat('test.wat', source, { multi_value: true, bulk_memory: true });
  try {
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

/**
 * A module with an allocator that begins again with each call, and `body`. `imports` come first. What is at 1024 and below
 * 2048 is for its texts.
 */
export function moduleText(body: string, { imports = '', memory = '2' } = {}): string {
  return `(module
  ${imports}
  (memory (export "memory") ${memory})
  (global $next (mut i32) (i32.const 65536))
  (func $alloc (export "alloc") (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (global.get $next))
    (global.set $next (i32.add (global.get $next) (i32.and (i32.add (local.get $size) (i32.const 15)) (i32.const -8))))
    (block $fits
      (br_if $fits (i32.le_u (global.get $next) (i32.mul (memory.size) (i32.const 65536))))
      (drop (memory.grow (i32.add (i32.const 1) (i32.div_u (local.get $size) (i32.const 65536))))))
    (local.get $at))
  (func (export "free") (param i32 i32)
    (global.set $next (i32.const 65536)))
  ${body})`;
}

/** A function that answers the same JSON text whatever it is asked, with its length before it. */
export function answering(name: string, text: string, at = 1024): string {
  const length = Buffer.byteLength(text);
  const prefix = [length & 255, (length >> 8) & 255, (length >> 16) & 255, (length >> 24) & 255]
    .map((byte) => `\\${byte.toString(16).padStart(2, '0')}`)
    .join('');
  const escaped = text.replaceAll('\\', '\\5c').replaceAll('"', '\\22');
  return `(data (i32.const ${at}) "${prefix}${escaped}")
  (func (export "${name}") (param i32 i32) (result i32) (i32.const ${at}))`;
}

/** A function that answers what it is given, with its length before it. */
export function echoing(name: string): string {
  return `(func (export "${name}") (param $at i32) (param $length i32) (result i32)
    (local $to i32)
    (local.set $to (call $alloc (i32.add (local.get $length) (i32.const 4))))
    (i32.store (local.get $to) (local.get $length))
    (memory.copy (i32.add (local.get $to) (i32.const 4)) (local.get $at) (local.get $length))
    (local.get $to))`;
}
