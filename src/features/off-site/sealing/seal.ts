// An object as it leaves the machine: an age file. Inside are 32 bytes that vouch for name and content, and the
// content, compressed. A store that returns another object, an older one under a new name, or a changed one is
// found out. To read one without Slipstream: `age -d -i key FILE | tail -c +33 | zstd -d`.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { Decrypter, Encrypter } from 'age-encryption'
import type { Keys } from './keys.ts'

export class SealError extends Error {
  override name = 'SealError'
}

const VOUCHER_BYTES = 32
/** The largest content of an object, so that a small one can't fill the memory. */
const MAX_CONTENT_BYTES = 512 << 20

export function seal(keys: Keys, name: string, content: Uint8Array | string): Promise<Uint8Array> {
  const packed = zstdCompressSync(content)
  const encrypter = new Encrypter()
  encrypter.addRecipient(keys.recipient)
  return encrypter.encrypt(Buffer.concat([voucher(keys, name, packed), packed]))
}

/** @throws SealError if it is not what was sealed under this name with this key */
export async function open(keys: Keys, name: string, sealed: Uint8Array): Promise<Buffer> {
  const inside = await decrypt(keys, name, sealed)
  const packed = inside.subarray(VOUCHER_BYTES)
  const found = inside.subarray(0, VOUCHER_BYTES)
  const isOurs =
    found.length === VOUCHER_BYTES && timingSafeEqual(found, voucher(keys, name, packed))
  if (!isOurs) throw new SealError(`${name} is not what was stored under this name`)
  return zstdDecompressSync(packed, { maxOutputLength: MAX_CONTENT_BYTES })
}

async function decrypt(keys: Keys, name: string, sealed: Uint8Array): Promise<Buffer> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(keys.identity)
  try {
    return Buffer.from(await decrypter.decrypt(sealed))
  } catch (cause) {
    const isOtherKey = String((cause as Error).message).includes('no identity matched')
    const why = isOtherKey ? 'was encrypted with another key' : 'is damaged in the store'
    throw new SealError(`${name} ${why}`, { cause })
  }
}

function voucher(keys: Keys, name: string, packed: Uint8Array): Buffer {
  return createHmac('sha256', keys.vouching).update(`${name}\0`).update(packed).digest()
}
