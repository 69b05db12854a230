// Bytes, which in Node are Buffers: their methods are faster there, and callers may use them.

/** A view from `at` to the end. */
export function viewFrom(memory: ArrayBuffer, at: number): Uint8Array {
  return typeof Buffer === 'undefined' ? new Uint8Array(memory, at) : Buffer.from(memory, at)
}

/** `width` bytes, at most four, little-endian. */
export function readUint(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!
  return value
}
