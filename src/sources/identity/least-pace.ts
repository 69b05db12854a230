// A least pace for an answer's body, so that a server that sends a byte now and then can't hold what its
// request holds: a slot, a file, a connection. Only the time spent waiting for the server counts. While our
// own side is slow to take a piece, the server can't send and is not to blame.

import { setImmediate as afterReading } from 'node:timers/promises'
import { FetchError } from './fetch-error.ts'
import { createPatience, type LeastPace } from './patience.ts'

/**
 * The same pieces.
 * @throws FetchError `slow`; the caller must then destroy the source.
 */
export async function* atLeastAt(
  pace: LeastPace,
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const patience = createPatience(pace)
  const pieces = source[Symbol.asyncIterator]()
  for (;;) {
    const requestedAt = performance.now()
    const { done, value } = await withPatience(patience.leftMs(), pieces.next(), pace)
    if (done) return
    patience.waited(performance.now() - requestedAt)
    patience.received(value.length)
    yield value
  }
}

async function withPatience<T>(leftMs: number, piece: Promise<T>, pace: LeastPace): Promise<T> {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>()
  let hasCome = false
  const refuse = async () => {
    // If this thread was busy, the piece may be waiting to be read.
    await afterReading()
    if (!hasCome) reject(slow(pace))
  }
  const timer = setTimeout(refuse, Math.ceil(leftMs))
  try {
    return await Promise.race([piece.finally(() => (hasCome = true)), tooSlow])
  } finally {
    clearTimeout(timer)
  }
}

function slow({ bytesPerSecond }: LeastPace): FetchError {
  return new FetchError('slow', `less than ${bytesPerSecond} bytes a second`)
}
