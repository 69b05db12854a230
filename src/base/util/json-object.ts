// JSON of unchecked shape, and its objects and lists.

/** A JSON object of unknown shape: a record not yet validated against its lexicon. */
export type JsonObject = { [key: string]: unknown }

const COMMA = 0x2c

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Told before anything is parsed, by commas: those in texts count, too. */
export function hasMoreValues(json: Buffer, most: number): boolean {
  let at = -1
  for (let values = 1; values <= most; values++) {
    at = json.indexOf(COMMA, at + 1)
    if (at < 0) return false
  }
  return true
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
