// Concurrent requests for the same thing share one piece of work. Failures are cached for a while, so that a
// page full of broken pictures does not ask the same server again for every reader.

import { LruMap } from '../../base/util/lru.ts'
import { MediaError } from './media-error.ts'

type SharedWork<T> = (key: string, work: () => Promise<T>) => Promise<T>

type Failure = { error: MediaError; until: number }

const MAX_FAILURES = 10_000

export function createSharedWork<T>(now: () => number = Date.now): SharedWork<T> {
  const running = new Map<string, Promise<T>>()
  const failures = new LruMap<string, Failure>(MAX_FAILURES)

  function remember(key: string, error: unknown): void {
    if (!(error instanceof MediaError) || error.standsSeconds === 0) return
    failures.set(key, { error, until: now() + error.standsSeconds * 1000 })
  }

  async function perform(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      remember(key, error)
      throw error
    } finally {
      running.delete(key)
    }
  }

  return async function share(key, work) {
    const failure = failures.get(key)
    if (failure && failure.until > now()) throw failure.error
    const begun = running.get(key)
    if (begun) return begun
    const started = perform(key, work)
    running.set(key, started)
    return started
  }
}
