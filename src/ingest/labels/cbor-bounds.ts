// Bounds the size of a decoded CBOR value from its heads alone, without recursion, before it is decoded: a
// megabyte of empty maps becomes sixty megabytes of objects, and a megabyte of nested arrays overflows the
// stack. https://www.rfc-editor.org/rfc/rfc8949#section-3

const [BYTES, TEXT, ARRAY, MAP, TAG] = [2, 3, 4, 5, 6] as const
/** 8-byte lengths. DAG-CBOR has no indefinite lengths: the decoder refuses those. */
const LONG = 27
const LENGTH_BYTES = new Map([
  [24, 1],
  [25, 2],
  [26, 4],
  [LONG, 8],
])

type CborBounds = { maxItems: number; maxDepth: number }

/**
 * Returns false if there are more values than `maxItems`, or deeper ones. Truncated data is left to
 * the decoder.
 */
export function isWithinBounds(data: Uint8Array, { maxItems, maxDepth }: CborBounds): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  /** Values still to be read at each open level. */
  const open: number[] = []
  let items = 0
  let at = 0
  while (at < data.length) {
    if (++items > maxItems) return false
    const major = data[at]! >> 5
    const info = data[at]! & 31
    const width = LENGTH_BYTES.get(info) ?? 0
    if (at + 1 + width > data.length) return true
    const value = width === 0 ? info : numberAt(view, at + 1, width)
    at += 1 + width
    if (major === BYTES || major === TEXT) at += value
    const inside = major === ARRAY ? value : major === MAP ? value * 2 : major === TAG ? 1 : 0
    if (open.length > 0) open[open.length - 1]! -= 1
    if (inside > 0) open.push(inside)
    if (open.length > maxDepth) return false
    while (open.at(-1) === 0) open.pop()
  }
  return true
}

function numberAt(view: DataView, at: number, width: number): number {
  if (width === 1) return view.getUint8(at)
  if (width === 2) return view.getUint16(at)
  return width === 4 ? view.getUint32(at) : Number(view.getBigUint64(at))
}
