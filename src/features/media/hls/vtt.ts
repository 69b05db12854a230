// Captions as WebVTT, parsed into cues as the standard's algorithm does, and rewritten: times, positions and
// text with bold, italic and underline. Styles, regions, comments and everything else in an untrusted file
// are dropped. Each line is read once. https://www.w3.org/TR/webvtt1/#file-parsing

import { cleanCueSettings } from './cue-settings.ts'
import { cleanCueText } from './cue-text.ts'

type Cue = { start: number; end: number; settings: string; text: string }

/** The file is no WebVTT, or too large. */
export class UnfitCaptions extends Error {
  override name = 'UnfitCaptions'
}

/** Lexicons allow 20,000; other software is less strict. */
export const MAX_CAPTIONS_BYTES = 100_000
const MAX_CUES = 3000
const MAX_CUE_TEXT = 2000
const TIME = /^(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})(?!\d)/
/** A million hours, longer than any video. */
const MAX_SECONDS = 3_600_000_000

/**
 * Ordered by time.
 * @throws UnfitCaptions
 */
export function readCues(bytes: Buffer): Cue[] {
  if (bytes.length > MAX_CAPTIONS_BYTES) throw new UnfitCaptions('the captions are too long')
  const [first = '', ...lines] = textOf(bytes).split('\n')
  if (!/^WEBVTT(?:[ \t]|$)/.test(first)) throw new UnfitCaptions('the captions are not WebVTT')
  const cues: Cue[] = []
  let isHeader = lines[0] !== ''
  for (let i = 0; i < lines.length; ) {
    const block = readBlock(lines, i, isHeader)
    i = block.next
    isHeader = false
    const text = cleanCueText(block.text.slice(0, MAX_CUE_TEXT))
    if (block.timing && text.trim() !== '') cues.push({ ...block.timing, text })
    if (cues.length > MAX_CUES) throw new UnfitCaptions('there are too many captions')
  }
  return cues.sort((a, b) => a.start - b.start)
}

type Timing = Omit<Cue, 'text'>

/**
 * Reads up to an empty line, or a line with `-->` that is not among the first two (only there can a
 * cue begin, maybe after its name). The file's header is a block too, which holds no cue.
 */
function readBlock(
  lines: readonly string[],
  from: number,
  isHeader: boolean,
): { timing: Timing | undefined; text: string; next: number } {
  let timing: Timing | undefined
  let timed = -1
  let i = from
  for (; i < lines.length && lines[i] !== ''; i++) {
    if (!lines[i]!.includes('-->')) continue
    const mayBegin = !isHeader && timed === -1 && i - from < 2
    if (!mayBegin) break
    timed = i
    timing = readTiming(lines[i]!)
  }
  const text = timed === -1 ? '' : lines.slice(timed + 1, i).join('\n')
  return { timing, text, next: lines[i] === '' ? i + 1 : i }
}

/** @param firstTimestamp - the video's, in units of 1/90,000 s, which cues' second 0 maps to */
export function writeVtt(cues: readonly Cue[], firstTimestamp = 0): string {
  const head = `WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:${firstTimestamp}\n`
  const blocks = cues.map(({ start, end, settings, text }) => {
    const positions = settings === '' ? '' : ` ${settings}`
    return `\n${timeText(start)} --> ${timeText(end)}${positions}\n${text}\n`
  })
  return head + blocks.join('')
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8').replaceAll('\0', '\ufffd')
  return text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
}

/** https://www.w3.org/TR/webvtt1/#collect-webvtt-cue-timings-and-settings */
function readTiming(line: string): Timing | undefined {
  const start = readTime(afterSpace(line))
  const arrow = start && afterSpace(start.rest)
  const end = arrow?.startsWith('-->') ? readTime(afterSpace(arrow.slice(3))) : undefined
  if (!start || !end || end.seconds <= start.seconds) return undefined
  return {
    start: start.seconds,
    end: end.seconds,
    settings: cleanCueSettings(end.rest),
  }
}

function afterSpace(text: string): string {
  return text.replace(/^[ \t\f]+/, '')
}

/** Hours have any number of digits; so many that no video lasts that long are one number. */
function readTime(text: string): { seconds: number; rest: string } | undefined {
  const [all = '', hours, first = '', last = '', thousandths] = TIME.exec(text) ?? []
  if (all === '') return undefined
  if (Number(first) > 59 || Number(last) > 59) return undefined
  const complete = Number(hours ?? 0) * 3600 + Number(first) * 60 + Number(last)
  const seconds = Math.min(complete, MAX_SECONDS) + Number(thousandths) / 1000
  return { seconds, rest: text.slice(all.length) }
}

function timeText(time: number): string {
  const thousandths = Math.round(time * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const clock = `${two(thousandths / 3_600_000)}:${two((thousandths / 60_000) % 60)}:${two((thousandths / 1000) % 60)}`
  return `${clock}.${String(thousandths % 1000).padStart(3, '0')}`
}
