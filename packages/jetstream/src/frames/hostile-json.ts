// Four ways in which well-formed JSON can hurt its reader: so many values that parsing takes seconds (each
// object key is stored, and 4 MB hold 300,000); nesting deep enough to overflow a recursive reader's stack;
// `__proto__` keys, which let a stranger set a copied object's prototype; and an escaped lone surrogate,
// which is not valid UTF-8 text, so that strict clients reject the whole answer. The checks cost next to
// nothing on ordinary frames.

import { isObject } from './syntax.ts'

/** Too short for harmful nesting, as nearly all frames are. */
const SHALLOW_CHARS = 1024
/** Any text with so many values is longer: each value but the first has a comma. */
const CHARS_A_VALUE = 2
const COMMA = 44
/** An escape for a letter or an underscore, which no honest encoder writes. */
const ESCAPED_LETTER = /\\u00[4-7]/
const QUOTE = 34
const BACKSLASH = 92

/**
 * Whether the arrays and objects hold more values than about the limit (it counts those after a
 * comma), or nest deeper.
 */
export function excessOf(
  text: string,
  most: { values: number; depth?: number },
): 'too-deep' | 'too-wide' | undefined {
  const { values, depth: maxDepth = Number.POSITIVE_INFINITY } = most
  const isShort = text.length <= values * CHARS_A_VALUE
  if (isShort && (most.depth === undefined || text.length <= SHALLOW_CHARS)) return undefined
  let depth = 0
  let commas = 0
  let isInString = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (isInString) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) isInString = false
    } else if (char === QUOTE) isInString = true
    else if (char === COMMA) {
      if (++commas > values) return 'too-wide'
    } else if ((char | 32) === 123) {
      if (++depth > maxDepth) return 'too-deep'
    } else if ((char | 32) === 125) depth--
  }
  return undefined
}

/** Whether any object in `value`, parsed from `text`, has a key named `__proto__`. */
export function hasForbiddenKey(text: string, value: unknown): boolean {
  // The name may be hidden by escapes. Only then, or if it occurs literally, is a walk needed.
  const mayHide = text.includes('\\u00') && ESCAPED_LETTER.test(text)
  return (mayHide || text.includes('__proto__')) && walk(value)
}

/** Whether any text in `value`, parsed from `text`, contains a lone surrogate. */
export function hasBrokenText(text: string, value: unknown): boolean {
  // Bytes that were valid UTF-8 can contain one only as an escape.
  return (text.includes('\\ud') || text.includes('\\uD')) && isBrokenText(value)
}

function isBrokenText(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  if (Array.isArray(value)) return value.some(isBrokenText)
  if (!isObject(value)) return false
  return Object.entries(value).some(([key, item]) => !key.isWellFormed() || isBrokenText(item))
}

function walk(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(walk)
  if (!isObject(value)) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(walk)
}
