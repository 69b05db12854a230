// JSON that is passed on unchanged: numbers that a float would alter, for example 64-bit ids, keep their
// digits. https://github.com/tc39/proposal-json-parse-with-source

/** All other numbers survive a round trip through a float. */
const MAY_CHANGE = /\d{16}|\.\d{15}|\d[eE]/

type Context = { source?: string }
type Reviver = (this: unknown, key: string, value: unknown) => unknown

const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }

/**
 * Numbers other than integers of at most 53 bits may become objects that only `JSON.stringify` can
 * read. @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return MAY_CHANGE.test(text) ? JSON.parse(text, exactDigits as Reviver) : JSON.parse(text)
}

function exactDigits(_key: string, value: unknown, { source }: Context): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  return Number.isSafeInteger(value) || String(value) === source ? value : rawJSON(source)
}
