// The findings of a check: one line each, and a fix for every problem.

/**
 * - `good`: as it should be
 * - `notice`: works, but is worth knowing
 * - `wrong`: must be fixed
 * - `unchecked`: can't be checked now, and why
 */
export type Level = 'good' | 'notice' | 'wrong' | 'unchecked'

export type Finding = {
  level: Level
  text: string
  /** The command or the setting. */
  fix?: string
}

export function good(text: string): Finding {
  return { level: 'good', text }
}

export function notice(text: string, fix?: string): Finding {
  return { level: 'notice', text, ...(fix !== undefined && { fix }) }
}

export function wrong(text: string, fix: string): Finding {
  return { level: 'wrong', text, fix }
}

export function unchecked(text: string, fix?: string): Finding {
  return { level: 'unchecked', text, ...(fix !== undefined && { fix }) }
}
