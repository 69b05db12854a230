// JSON that was written for an answer and is sent again as it is, with its compressed form beside it. Clients and
// their PDSs ask in one encoding, so only the last one is kept: that bounds the memory.

/** A compressed form beyond this share is not kept: it may be compressed anew. */
const MAX_SHARE = 0.4

export class CachedBytes {
  /** Never modified, and never given to another answer. */
  readonly plain: Buffer
  #compressed: { encoding: string; bytes: Buffer } | undefined

  constructor(plain: Buffer) {
    this.plain = plain
  }

  /** The most that it may come to take. */
  get bytes(): number {
    return Math.ceil(this.plain.length * (1 + MAX_SHARE))
  }

  compressed(encoding: string): Buffer | undefined {
    return this.#compressed?.encoding === encoding ? this.#compressed.bytes : undefined
  }

  addCompressed(encoding: string, bytes: Buffer): void {
    if (bytes.length <= this.plain.length * MAX_SHARE) this.#compressed = { encoding, bytes }
  }
}
