// Reads HTTP/1.1 answers off a keep-alive connection with the least work that a load generator needs: status,
// length and the end of the body. Handles bodies with Content-Length or in chunks. Discards the body except
// its first bytes, which help to diagnose errors.

export type ResponseReader = {
  /** Consumes received bytes; calls `onAnswer` at the end of each answer. */
  take(bytes: Buffer): void
}

export type ReadAnswer = { status: number; bodyBytes: number; start: string }

const MAX_HEAD_BYTES = 65_536
const CACHED_BYTES = 200
/** A body without an end is a server error. */
const NO_LENGTH = -1

export function createResponseReader(onAnswer: (answer: ReadAnswer) => void): ResponseReader {
  const heads = createHeadReader()
  let answer: ReadAnswer = { status: 0, bodyBytes: 0, start: '' }
  /** Outstanding bytes of the body, or of the chunk including its line end. */
  let left = 0
  let state: 'head' | 'body' | 'chunk-size' | 'chunk' | 'trailer' = 'head'
  let line = ''

  function take(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (state === 'head') at = takeHead(bytes, at)
      else if (state === 'chunk-size' || state === 'trailer') at = takeLine(bytes, at)
      else at = takeBody(bytes, at)
    }
  }

  function takeHead(bytes: Buffer, at: number): number {
    const { text, end } = heads.take(bytes, at)
    if (text !== undefined) begin(text)
    return end
  }

  function begin(text: string): void {
    answer = { status: Number(text.slice(9, 12)), bodyBytes: 0, start: '' }
    const length = lengthIn(text)
    if (length === NO_LENGTH) {
      state = 'chunk-size'
      return
    }
    state = 'body'
    left = length
    if (left === 0) finish()
  }

  function takeLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(10, at)
    line += bytes.toString('latin1', at, end < 0 ? bytes.length : end + 1)
    if (end < 0) return bytes.length
    const text = line.trim()
    line = ''
    if (state === 'chunk-size') beginChunk(chunkSize(text))
    else if (text === '') finish()
    return end + 1
  }

  function beginChunk(size: number): void {
    state = size === 0 ? 'trailer' : 'chunk'
    left = size === 0 ? 0 : size + 2
    answer.bodyBytes += size
  }

  function takeBody(bytes: Buffer, at: number): number {
    const count = Math.min(left, bytes.length - at)
    const content = state === 'chunk' ? Math.max(0, Math.min(count, left - 2)) : count
    if (answer.start.length < CACHED_BYTES) storeStart(answer, bytes.subarray(at, at + content))
    if (state === 'body') answer.bodyBytes += count
    left -= count
    if (left === 0 && state === 'chunk') state = 'chunk-size'
    else if (left === 0) finish()
    return at + count
  }

  function finish(): void {
    state = 'head'
    onAnswer(answer)
  }

  return { take }
}

/** Collects heads, which may come in pieces. */
function createHeadReader() {
  let begun: Buffer | undefined
  return {
    /** @returns the text once it is whole, and where in `bytes` reading goes on */
    take(bytes: Buffer, at: number): { text?: string; end: number } {
      const joined = begun ? Buffer.concat([begun, bytes.subarray(at)]) : bytes.subarray(at)
      const end = joined.indexOf('\r\n\r\n')
      if (end < 0) {
        if (joined.length > MAX_HEAD_BYTES) throw new Error('a response head is too long')
        // The received bytes lie in a buffer that will be reused.
        begun = Buffer.from(joined)
        return { end: bytes.length }
      }
      const before = begun?.length ?? 0
      begun = undefined
      return { text: joined.toString('latin1', 0, end), end: at + end + 4 - before }
    },
  }
}

function storeStart(answer: ReadAnswer, content: Buffer): void {
  answer.start += content.toString('latin1', 0, CACHED_BYTES - answer.start.length)
}

function chunkSize(text: string): number {
  const size = Number.parseInt(text, 16)
  if (!(size >= 0)) throw new Error(`invalid chunk size: ${text.slice(0, 40)}`)
  return size
}

function lengthIn(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)
  if (length) return Number(length[1])
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return NO_LENGTH
  const status = head.slice(9, 12)
  if (status === '204' || status === '304') return 0
  throw new Error(`a response without a length: ${head.slice(0, 200)}`)
}
