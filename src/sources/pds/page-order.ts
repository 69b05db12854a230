// Watches in which order a server lists keys, from one page to the next. Bluesky's PDS lists by falling key,
// arroba by rising key, cocoon by last write, pegasus by revision (docs/OTHER-PDS.md); the lexicon promises
// none. A key that comes again, as with an inclusive cursor, is not new.

export type KeyOrder = 'falling' | 'rising' | 'mixed'

export type OrderWatch = {
  /** `falling` as long as one key or none was seen. */
  readonly order: KeyOrder
  /** The last new key. */
  readonly last: string | undefined
  /** Too many keys were seen to tell new ones from old ones. */
  readonly isFull: boolean
  /** @returns the keys that were not seen before */
  add(keys: readonly string[]): string[]
}

/** Of all keys together; only those of a mixed order are remembered. */
const MAX_CHARACTERS = 1024 * 1024

export function watchOrder(): OrderWatch {
  const seen = new Set<string>()
  let characters = 0
  let order: KeyOrder | undefined
  let last: string | undefined

  function isNew(key: string): boolean {
    if (key === last) return false
    if (order === 'mixed') return !seen.has(key)
    if (last !== undefined) {
      const step = key < last ? 'falling' : 'rising'
      order = order === undefined || order === step ? step : 'mixed'
    }
    return true
  }

  return {
    get order() {
      return order ?? 'falling'
    },
    get last() {
      return last
    },
    get isFull() {
      return characters > MAX_CHARACTERS
    },
    add(keys) {
      const fresh: string[] = []
      for (const key of keys) {
        if (!isNew(key)) continue
        fresh.push(key)
        last = key
      }
      if (order === 'mixed') for (const key of keys) remember(key)
      return fresh
    },
  }

  function remember(key: string): void {
    if (seen.has(key)) return
    seen.add(key)
    characters += key.length
  }
}

/**
 * Whether the cursor names the page's last key: then pages lie next to each other in the order of
 * keys. By any other cursor, such as a time, records may fall between two pages.
 */
export function namesKey(cursor: string, lastKey: string | undefined): boolean {
  return lastKey !== undefined && cursor.endsWith(lastKey)
}
