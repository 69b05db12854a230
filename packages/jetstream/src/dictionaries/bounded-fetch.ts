// Fetches a small file over http(s), bounded in size and time.

import { readBody } from './read-body.ts'

/** @throws Error with a message that says what went wrong. */
export async function fetchBounded(
  url: string,
  options: { maxBytes: number; timeoutMs: number; signal?: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  const { maxBytes, timeoutMs, signal } = options
  const deadline = AbortSignal.timeout(timeoutMs)
  const either = signal ? AbortSignal.any([deadline, signal]) : deadline
  const response = await fetch(url, { signal: either }).catch((error: Error) => {
    // The actual error ("connect ECONNREFUSED …") is the cause.
    const { message } = error.cause instanceof Error ? error.cause : error
    throw new Error(`${url}: ${message}`, { cause: error })
  })
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    throw new Error(`${url} answered ${response.status}`)
  }
  return readBody(response, { who: url, maxBytes })
}
