// Our playlists (RFC 8216), written from data alone.

import type { SegmentList, Variant } from './playlist.ts'

/** Subtitles in one language. */
type CaptionLine = { language: string; name: string; uri: string }

type Master = {
  variants: readonly (Variant & { uri: string })[]
  captions: readonly CaptionLine[]
}

const CAPTIONS = 'captions'

export function writeMaster({ variants, captions }: Master): string {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...captions.map(captionLine),
    ...variants.flatMap((one) => [variantLine(one, captions.length > 0), one.uri]),
  ]
  return `${lines.join('\n')}\n`
}

/** `query` goes behind the name of each segment. */
export function writeSegments({ init, segments }: SegmentList, query = ''): string {
  const longest = Math.max(1, ...segments.map(({ seconds }) => seconds))
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    `#EXT-X-TARGETDURATION:${Math.ceil(longest)}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    ...(init === undefined ? [] : [`#EXT-X-MAP:URI="${init}"`]),
  ]
  for (const { seconds, file, isDiscontinuous } of segments) {
    if (isDiscontinuous) lines.push('#EXT-X-DISCONTINUITY')
    lines.push(`#EXTINF:${seconds.toFixed(5)},`, `${file}${query}`)
  }
  lines.push('#EXT-X-ENDLIST', '')
  return lines.join('\n')
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
    `URI="${uri}"`,
  ]
  return `#EXT-X-MEDIA:${attributes.join(',')}`
}
