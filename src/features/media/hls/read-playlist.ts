// Parses an untrusted playlist into data (RFC 8216), reading each line once. Unknown tags are dropped;
// features that would make the rest wrong (encryption, byte ranges, live streams, separate audio) make the
// whole unfit. Existing parsers do not suit: m3u8-parser takes twelve seconds for 60 kB of commas, and
// hls-parser does not validate what it reads.

import { MAX_SEGMENTS, type Variant } from './playlist.ts'

export type VariantEntry = Variant & { url: string }
export type SegmentEntry = { seconds: number; url: string; isDiscontinuous?: true }
export type ReadPlaylist =
  | { kind: 'master'; variants: VariantEntry[] }
  | { kind: 'media'; init: string | undefined; segments: SegmentEntry[] }

/** The input is no playlist, or of a kind that is not passed on. */
export class UnfitPlaylist extends Error {
  override name = 'UnfitPlaylist'
}

export const MAX_PLAYLIST_BYTES = 1 << 20
const MAX_LINES = 20_000
const MAX_LINE = 4096
const MAX_VARIANTS = 12
const MAX_SEGMENT_SECONDS = 120
const MAX_SECONDS = 86_400
/** Tags that the rest of the playlist depends on. */
const UNFIT_TAGS = new Set([
  '#EXT-X-BYTERANGE',
  '#EXT-X-SESSION-KEY',
  '#EXT-X-I-FRAMES-ONLY',
  '#EXT-X-GAP',
  '#EXT-X-PART',
  '#EXT-X-SKIP',
  '#EXT-X-DEFINE',
])

type Line = { tag: string; value: string }
/** @throws UnfitPlaylist if the URL is not allowed */
type Resolve = (uri: string) => string

/**
 * @param resolve - returns the absolute URL of a line
 * @throws UnfitPlaylist
 */
export function readPlaylist(bytes: Buffer, resolve: Resolve): ReadPlaylist {
  const lines = linesOf(bytes)
  const isMaster = lines.some(({ tag }) => tag === '#EXT-X-STREAM-INF')
  return isMaster ? readMaster(lines, resolve) : readMedia(lines, resolve)
}

function linesOf(bytes: Buffer): Line[] {
  if (bytes.length > MAX_PLAYLIST_BYTES) throw new UnfitPlaylist('it is too long')
  const texts = bytes.toString('utf8').split('\n', MAX_LINES + 1)
  if (texts.length > MAX_LINES) throw new UnfitPlaylist('it has too many lines')
  if (texts[0]?.trim() !== '#EXTM3U') throw new UnfitPlaylist('it is not a playlist')
  return texts.slice(1).flatMap(readLine)
}

/** A URI is a line without a tag. Comments and empty lines are dropped. */
function readLine(text: string): Line[] {
  if (text.length > MAX_LINE) throw new UnfitPlaylist('a line is too long')
  const line = text.trim()
  if (line === '' || (line.startsWith('#') && !line.startsWith('#EXT'))) return []
  if (!line.startsWith('#')) return [{ tag: '', value: line }]
  const colon = line.indexOf(':')
  const tag = colon === -1 ? line : line.slice(0, colon)
  if (UNFIT_TAGS.has(tag)) throw new UnfitPlaylist(`${tag} is not supported`)
  return [{ tag, value: colon === -1 ? '' : line.slice(colon + 1) }]
}

function readMaster(lines: Line[], resolve: Resolve): ReadPlaylist {
  const variants: VariantEntry[] = []
  for (const [i, { tag, value }] of lines.entries()) {
    if (tag === '#EXTINF') throw new UnfitPlaylist('it mixes two kinds')
    if (tag !== '#EXT-X-STREAM-INF') continue
    const next = lines[i + 1]
    if (next?.tag !== '') throw new UnfitPlaylist('a variant has no URI')
    const variant = readVariant(readAttributes(value))
    variants.push({ ...variant, url: resolve(next.value) })
    if (variants.length > MAX_VARIANTS) throw new UnfitPlaylist('it has too many variants')
  }
  return { kind: 'master', variants }
}

function readVariant(attributes: Map<string, string>): Variant {
  if (attributes.has('AUDIO') || attributes.has('VIDEO')) {
    throw new UnfitPlaylist('audio and video are separate')
  }
  const bandwidth = integer(attributes.get('BANDWIDTH'), 1e9)
  if (!bandwidth) throw new UnfitPlaylist('a variant has no bandwidth')
  const codecs = attributes.get('CODECS') ?? ''
  const [width, height, ...rest] = (attributes.get('RESOLUTION') ?? '').split('x')
  const isSize = rest.length === 0
  const frameRate = decimal(attributes.get('FRAME-RATE') ?? '', 1000)
  return {
    bandwidth,
    averageBandwidth: integer(attributes.get('AVERAGE-BANDWIDTH'), 1e9),
    codecs: /^[A-Za-z0-9.,_-]{1,200}$/.test(codecs) ? codecs : undefined,
    width: isSize ? integer(width, 65_535) : undefined,
    height: isSize ? integer(height, 65_535) : undefined,
    frameRate: frameRate === 0 ? undefined : frameRate,
  }
}

function readMedia(lines: Line[], resolve: Resolve): ReadPlaylist {
  const reading: Reading = { init: undefined, segments: [], seconds: undefined, isCut: false }
  let total = 0
  for (const { tag, value } of lines) {
    if (tag === '') {
      addSegment(reading, resolve(value))
      total += reading.segments.at(-1)!.seconds
      if (total > MAX_SECONDS) throw new UnfitPlaylist('it is too long')
    } else readMediaTag(reading, { tag, value }, resolve)
  }
  if (reading.segments.length === 0) throw new UnfitPlaylist('it has no segments')
  if (!lines.some(({ tag }) => tag === '#EXT-X-ENDLIST'))
    throw new UnfitPlaylist('it has no end tag')
  return { kind: 'media', init: reading.init, segments: reading.segments }
}

type Reading = {
  init: string | undefined
  segments: SegmentEntry[]
  /** Duration of the segment whose URI follows. */
  seconds: number | undefined
  isCut: boolean
}

function readMediaTag(reading: Reading, { tag, value }: Line, resolve: Resolve): void {
  if (tag === '#EXTINF') {
    reading.seconds = decimal(value.split(',', 1)[0]!, MAX_SEGMENT_SECONDS)
    if (reading.seconds === undefined) throw new UnfitPlaylist('a segment has no duration')
  }
  if (tag === '#EXT-X-DISCONTINUITY') reading.isCut = true
  if (tag === '#EXT-X-KEY' && readAttributes(value).get('METHOD') !== 'NONE') {
    throw new UnfitPlaylist('it is encrypted')
  }
  if (tag === '#EXT-X-MAP') readMap(reading, readAttributes(value), resolve)
}

function readMap(reading: Reading, attributes: Map<string, string>, resolve: Resolve): void {
  const uri = attributes.get('URI')
  if (!uri || attributes.has('BYTERANGE'))
    throw new UnfitPlaylist('its init segment is not a whole file')
  const init = resolve(uri)
  if (reading.init !== undefined && reading.init !== init) {
    throw new UnfitPlaylist('it has several init segments')
  }
  reading.init = init
}

function addSegment(reading: Reading, url: string): void {
  const { seconds, isCut, segments } = reading
  if (seconds === undefined) throw new UnfitPlaylist('a segment has no duration')
  if (segments.length === MAX_SEGMENTS) throw new UnfitPlaylist('it has too many segments')
  segments.push({ seconds, url, ...(isCut && { isDiscontinuous: true }) })
  reading.seconds = undefined
  reading.isCut = false
}

/** NAME=value or NAME="value", separated by commas; the first of equal names counts. */
function readAttributes(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const equals = text.indexOf('=', at)
    if (equals === -1) break
    const name = text.slice(at, equals).trim()
    const isQuoted = text[equals + 1] === '"'
    const from = equals + (isQuoted ? 2 : 1)
    const end = text.indexOf(isQuoted ? '"' : ',', from)
    const value = text.slice(from, end === -1 ? text.length : end)
    if (!found.has(name)) found.set(name, value)
    const comma = isQuoted && end !== -1 ? text.indexOf(',', end) : end
    at = comma === -1 ? text.length : comma + 1
  }
  return found
}

function integer(text: string | undefined, max: number): number | undefined {
  const value = /^\d{1,12}$/.test(text ?? '') ? Number(text) : 0
  return value > 0 && value <= max ? value : undefined
}

function decimal(text: string, max: number): number | undefined {
  const value = /^\d{1,6}(\.\d{0,9})?$/.test(text.trim()) ? Number(text) : Number.NaN
  return value <= max ? value : undefined
}
