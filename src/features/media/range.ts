// Parses the range of a body that a request wants (RFC 9110 §14.2): players ask for a video's end before its
// middle. Serves one range; a request for several gets the whole body, which is allowed.

/** First and last byte, both inclusive; `whole`: everything; `beyond`: 416. */
type WantedRange = { first: number; last: number } | 'whole' | 'beyond'

export function parseRange(header: string | undefined, length: number): WantedRange {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return 'whole'
  if (from === '') return lastBytes(Number(to), length)
  const first = Number(from)
  const last = to === '' ? length - 1 : Math.min(Number(to), length - 1)
  if (to !== '' && Number(to) < first) return 'whole'
  return first >= length ? 'beyond' : { first, last }
}

function lastBytes(count: number, length: number): WantedRange {
  if (count === 0 || length === 0) return 'beyond'
  return { first: Math.max(0, length - count), last: length - 1 }
}
