// Valid bytes with a few random changes: bytes replaced, removed, repeated, or copied from elsewhere in them.

import type { Random } from './random.ts'

export function mutated(bytes: Uint8Array, random: Random): Buffer {
  let data: Buffer = Buffer.from(bytes)
  for (let i = random.below(4); i >= 0; i--) data = changeOnce(data, random)
  return data
}

function changeOnce(data: Buffer, random: Random): Buffer {
  const at = random.below(data.length + 1)
  const to = Math.min(data.length, at + 1 + random.below(random.pick([1, 8, 64])))
  const from = random.below(data.length + 1)
  const other = data.subarray(from, from + (to - at))
  const byte = Buffer.from([
    random.pick([0, 1, 0x22, 0x5b, 0x7b, 0x7f, 0x80, 0xff, random.below(256)]),
  ])
  const middle = random.pick([
    byte,
    Buffer.alloc(0),
    other,
    Buffer.concat([data.subarray(at, to), other]),
  ])
  return Buffer.concat([data.subarray(0, at), middle, data.subarray(to)])
}
