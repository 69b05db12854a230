// One block of a segment, uncompressed: columns with one value for every row, followed by the concatenated
// texts and payloads of all rows. Layout: segment/block.go of the server, its docs, §3.2.
//
// Read row by row; all lengths are checked against the block before the first row.

const FIXED_BYTES = 8 + 8 + 8 + 1 + 1 + 2 + 1 + 1 + 4
const MAX_ROWS = 1 << 18

export const ROW_KIND = {
  create: 1,
  update: 2,
  delete: 3,
  identity: 4,
  account: 5,
  sync: 6,
  /** Part of the replacement of a repository. */
  createAgain: 7,
} as const

/** The block violates the format. */
export class BadBlockError extends Error {
  override name = 'BadBlockError'
}

export class BlockRows {
  readonly body: Buffer
  readonly count: number
  /** The current row; -1 before the first. */
  #row = -1
  /** Where each column begins. */
  readonly #columns: Columns
  #collectionAt = 0
  #didAt = 0
  #rkeyAt = 0
  #revAt = 0
  #payloadAt = 0

  /** @throws BadBlockError */
  constructor(body: Buffer) {
    this.body = body
    this.count = readCount(body)
    this.#columns = columnsOf(this.count)
    const starts = checkedStarts(body, this.count, this.#columns)
    this.#collectionAt = starts.collections
    this.#didAt = starts.dids
    this.#rkeyAt = starts.rkeys
    this.#revAt = starts.revs
    this.#payloadAt = starts.payloads
  }

  /** Moves to the next row. @returns false after the last. */
  next(): boolean {
    if (this.#row >= 0) this.#leave()
    return ++this.#row < this.count
  }

  #leave(): void {
    this.#collectionAt += this.#collectionLength
    this.#didAt += this.#didLength
    this.#rkeyAt += this.#rkeyLength
    this.#revAt += this.#revLength
    this.#payloadAt += this.payloadBytes
  }

  /** NaN if too large for a number. */
  get seq(): number {
    return unsigned(this.body, this.#columns.seqs + 8 * this.#row)
  }

  /** As on the live wire, in microseconds: the imported time, or else the time it was witnessed. */
  get timeUs(): number {
    const imported = signed(this.body, this.#columns.indexedAts + 8 * this.#row)
    return imported === 0 ? signed(this.body, this.#columns.witnessedAts + 8 * this.#row) : imported
  }

  get kind(): number {
    return this.body[this.#columns.kinds + this.#row]!
  }

  get collection(): string {
    return this.body.toString(
      'latin1',
      this.#collectionAt,
      this.#collectionAt + this.#collectionLength,
    )
  }

  get did(): string {
    return this.body.toString('latin1', this.#didAt, this.#didAt + this.#didLength)
  }

  get rkey(): string {
    return this.body.toString('latin1', this.#rkeyAt, this.#rkeyAt + this.#rkeyLength)
  }

  get rev(): string {
    return this.body.toString('latin1', this.#revAt, this.#revAt + this.#revLength)
  }

  /** Start in `body` of the payload, which is DAG-CBOR. */
  get payloadAt(): number {
    return this.#payloadAt
  }

  get payloadBytes(): number {
    return this.body.readUInt32LE(this.#columns.payloadLengths + 4 * this.#row)
  }

  get #collectionLength(): number {
    return this.body[this.#columns.collectionLengths + this.#row]!
  }

  get #didLength(): number {
    return this.body.readUInt16LE(this.#columns.didLengths + 2 * this.#row)
  }

  get #rkeyLength(): number {
    return this.body[this.#columns.rkeyLengths + this.#row]!
  }

  get #revLength(): number {
    return this.body[this.#columns.revLengths + this.#row]!
  }
}

function readCount(body: Buffer): number {
  const count = body.length < 4 ? Number.NaN : body.readUInt32LE(0)
  if (count <= MAX_ROWS && body.length - 4 >= count * FIXED_BYTES) return count
  throw new BadBlockError('shorter than its rows')
}

type Columns = ReturnType<typeof columnsOf>

function columnsOf(count: number) {
  let top = 4
  const column = (width: number) => {
    top += width * count
    return top - width * count
  }
  return {
    seqs: column(8),
    witnessedAts: column(8),
    indexedAts: column(8),
    kinds: column(1),
    collectionLengths: column(1),
    didLengths: column(2),
    rkeyLengths: column(1),
    revLengths: column(1),
    payloadLengths: column(4),
    texts: top,
  }
}

/** Where the texts of each column begin. */
function checkedStarts(body: Buffer, count: number, columns: Columns) {
  let top = columns.texts
  const blob = (at: number, width: 1 | 2 | 4) => {
    const start = top
    for (let i = 0; i < count; i++) top += body.readUIntLE(at + width * i, width)
    return start
  }
  const starts = {
    collections: blob(columns.collectionLengths, 1),
    dids: blob(columns.didLengths, 2),
    rkeys: blob(columns.rkeyLengths, 1),
    revs: blob(columns.revLengths, 1),
    payloads: blob(columns.payloadLengths, 4),
  }
  if (top !== body.length) throw new BadBlockError('not as long as its rows say')
  return starts
}

/** An unsigned 64-bit integer; NaN if too large for a number. */
export function unsigned(body: Buffer, at: number): number {
  const value = body.readUInt32LE(at + 4) * 2 ** 32 + body.readUInt32LE(at)
  return Number.isSafeInteger(value) ? value : Number.NaN
}

function signed(body: Buffer, at: number): number {
  return body.readInt32LE(at + 4) * 2 ** 32 + body.readUInt32LE(at)
}
