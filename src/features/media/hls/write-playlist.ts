// Writes our playlists (RFC 8216), from data only.

import type { SegmentLine, SegmentList, Variant } from './playlist.ts'

/** Subtitles in one language. */
type CaptionLine = { language: string; name: string; uri: string }

type Master = {
  variants: readonly (Variant & { uri: string })[]
  captions: readonly CaptionLine[]
}

const CAPTIONS = 'captions'
/** By which players offer captions for those who do not hear. */
const CAPTION_KIND = 'public.accessibility.transcribes-spoken-dialog'

export function writeMaster({ variants, captions }: Master): string {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...captions.map(captionLine),
    ...variants.flatMap((variant) => [variantLine(variant, captions.length > 0), variant.uri]),
  ]
  return `${lines.join('\n')}\n`
}

/**
 * `query` is appended to the name of each of the video's own segments; `tail` follows them, in its
 * own encoding.
 */
export function writeSegments(
  { init, segments }: SegmentList,
  { query = '', tail }: { query?: string; tail?: SegmentList | undefined } = {},
): string {
  const all = [...segments, ...(tail?.segments ?? [])]
  const longest = Math.max(1, ...all.map(({ seconds }) => seconds))
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-TARGETDURATION:${Math.ceil(longest)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    ...mapLine(init),
    ...segments.flatMap((segment) => segmentLines(segment, query)),
    ...(tail ? tailLines(tail) : []),
  ]
  lines.push('#EXT-X-ENDLIST', '')
  return lines.join('\n')
}

/**
 * The tail has its own times, tracks and encoding, and so its own initialization section (RFC 8216
 * §4.3.2.3, §4.3.2.5).
 */
function tailLines({ init, segments }: SegmentList): string[] {
  const lines = segments.flatMap((segment) => segmentLines(segment, ''))
  return ['#EXT-X-DISCONTINUITY', ...mapLine(init), ...lines]
}

function segmentLines({ seconds, file, isDiscontinuous }: SegmentLine, query: string): string[] {
  const lines = [`#EXTINF:${seconds.toFixed(5)},`, `${file}${query}`]
  return isDiscontinuous ? ['#EXT-X-DISCONTINUITY', ...lines] : lines
}

function mapLine(init: string | undefined): string[] {
  return init === undefined ? [] : [`#EXT-X-MAP:URI="${init}"`]
}

function variantLine(variant: Variant, hasCaptions: boolean): string {
  const { bandwidth, averageBandwidth, codecs, width, height, frameRate } = variant
  const attributes = [
    `BANDWIDTH=${bandwidth}`,
    averageBandwidth && `AVERAGE-BANDWIDTH=${averageBandwidth}`,
    codecs && `CODECS="${codecs}"`,
    width && height && `RESOLUTION=${width}x${height}`,
    frameRate && `FRAME-RATE=${frameRate.toFixed(3)}`,
    hasCaptions && `SUBTITLES="${CAPTIONS}"`,
  ]
  return `#EXT-X-STREAM-INF:${attributes.filter(Boolean).join(',')}`
}

function captionLine({ language, name, uri }: CaptionLine): string {
  const attributes = [
    'TYPE=SUBTITLES',
    `GROUP-ID="${CAPTIONS}"`,
    `NAME="${name}"`,
    `LANGUAGE="${language}"`,
    'DEFAULT=NO,AUTOSELECT=YES,FORCED=NO',
    `CHARACTERISTICS="${CAPTION_KIND}"`,
    `URI="${uri}"`,
  ]
  return `#EXT-X-MEDIA:${attributes.join(',')}`
}
