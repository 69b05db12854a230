// Four ways in which well-formed JSON still hurts whoever reads it: so many values that parsing takes seconds (each
// key of an object is remembered by itself, and 4 MB hold 300,000); nesting so deep that a recursive reader overflows
// its stack; `__proto__` keys, which turn a copied object's prototype into what a stranger wrote; and half a
// surrogate pair behind an escape, which is no text in UTF-8, so that strict clients refuse the whole answer it
// stands in. The checks cost next to nothing on ordinary frames.

import { isObject } from './json-object.ts'

/** Too short to nest deep enough to matter; nearly all frames are. */
const SHALLOW_CHARS = 1024
/** Shorter than any text of so many values: each but the first has a comma. */
const CHARS_A_VALUE = 2
const COMMA = 44
/** An escape that stands for a letter or an underscore, which no honest encoder writes. */
const ESCAPED_LETTER = /\\u00[4-7]/
const QUOTE = 34
const BACKSLASH = 92

/** Whether arrays and objects hold more values than about so many (those after a comma are counted), or nest deeper. */
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
  // The name may hide behind escapes; only then, or where it stands plainly, is a walk needed.
  const mayHide = text.includes('\\u00') && ESCAPED_LETTER.test(text)
  return (mayHide || text.includes('__proto__')) && walk(value)
}

/** Whether any text in `value`, parsed from `text`, has half of a surrogate pair. */
export function hasBrokenText(text: string, value: unknown): boolean {
  // Bytes that were UTF-8 can hide one behind an escape only.
  return (text.includes('\\ud') || text.includes('\\uD')) && isBrokenText(value)
}

function isBrokenText(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  if (Array.isArray(value)) return value.some(isBrokenText)
  if (!isObject(value)) return false
  return Object.entries(value).some(([key, one]) => !key.isWellFormed() || isBrokenText(one))
}

function walk(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(walk)
  if (!isObject(value)) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(walk)
}
