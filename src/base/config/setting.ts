export const PREFIX = 'SLIPSTREAM_'

export type Setting<T> = {
  key: string
  /** As the operator would write it; undefined if the value is derived. */
  fallback: string | undefined
  parse: (text: string) => T
  doc: string
  /** Never shown, neither in printed settings nor in error messages. */
  isSecret?: true
}

/** A line of a `.env` file, in which # begins a comment. */
export function envLine(key: string, value: string): string {
  return `${key}=${value.includes('#') ? `"${value}"` : value}`
}

export function setting<T>(
  key: string,
  fallback: string | undefined,
  parse: (text: string) => T,
  doc: string,
): Setting<T> {
  return { key: PREFIX + key, fallback, parse, doc }
}

/** A setting without a default. */
export function optional<T>(
  key: string,
  parse: (text: string) => T,
  doc: string,
): Setting<T | undefined> {
  return setting<T | undefined>(key, undefined, parse, doc)
}

export function hidden<T>(setting: Setting<T>): Setting<T> {
  return { ...setting, isSecret: true }
}
