// Integers in as few bytes as they need: seven bits per byte, lowest first, the top bit set on all but the
// last (LEB128). Numbers reach 2^53, beyond 32-bit arithmetic.

/** The place where a number is read, and then the place after it. */
export type Reader = { bytes: Uint8Array; at: number }

const TWO_28 = 2 ** 28

export function readVarint(reader: Reader): number {
  const { bytes } = reader
  let at = reader.at
  let byte = bytes[at++]!
  let value = byte & 127
  let shift = 7
  while (byte > 127 && shift < 28) {
    byte = bytes[at++]!
    value |= (byte & 127) << shift
    shift += 7
  }
  for (let scale = TWO_28; byte > 127; scale *= 128) {
    byte = bytes[at++]!
    value += (byte & 127) * scale
  }
  reader.at = at
  return value
}

export function skipVarint(reader: Reader): void {
  while (reader.bytes[reader.at++]! > 127);
}

/** @returns the place after the number */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value
  while (rest >= TWO_28) {
    bytes[at++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[at++] = rest
  return at
}

/** Maps small signed numbers to small unsigned ones. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}
