// Captions as WebVTT (W3C), parsed into cues and rewritten: times, positions and text with bold, italic and
// underline. Styles, regions, comments and everything else in an untrusted file are dropped. Each line is
// read once.

type Cue = { start: number; end: number; settings: string; text: string }

/** The file is no WebVTT, or too large. */
export class UnfitCaptions extends Error {
  override name = 'UnfitCaptions'
}

/** Lexicons allow 20,000; other software is less strict. */
export const MAX_CAPTIONS_BYTES = 100_000
const MAX_CUES = 3000
const MAX_CUE_TEXT = 2000
const TIME = /^(?:(\d{2,4}):)?([0-5]\d):([0-5]\d)\.(\d{3})$/
const SETTING = /^(?:align|line|position|size|vertical):[a-z0-9.%,-]{1,30}$/
const PLAIN_TAGS = new Set(['b', 'i', 'u', '/b', '/i', '/u'])
const ENTITY = /^&(?:amp|lt|gt|nbsp|lrm|rlm);/
const LONGEST_ENTITY = 6

/**
 * Ordered by time.
 * @throws UnfitCaptions
 */
export function readCues(bytes: Buffer): Cue[] {
  if (bytes.length > MAX_CAPTIONS_BYTES) throw new UnfitCaptions('the captions are too long')
  const [first = '', ...lines] = textOf(bytes).split('\n')
  if (!/^WEBVTT(?:[ \t]|$)/.test(first)) throw new UnfitCaptions('the captions are not WebVTT')
  const cues: Cue[] = []
  for (let i = 0; i < lines.length; i++) {
    const timing = lines[i]!.includes('-->') ? readTiming(lines[i]!) : undefined
    if (!timing) continue
    const from = i + 1
    while (i + 1 < lines.length && lines[i + 1]!.trim() !== '') i += 1
    const text = cleanText(
      lines
        .slice(from, i + 1)
        .join('\n')
        .slice(0, MAX_CUE_TEXT),
    )
    if (text.trim() !== '') cues.push({ ...timing, text })
    if (cues.length > MAX_CUES) throw new UnfitCaptions('there are too many captions')
  }
  return cues.sort((a, b) => a.start - b.start)
}

/** @param firstTimestamp - the video's, in units of 1/90,000 s, which cues' second 0 maps to */
export function writeVtt(cues: readonly Cue[], firstTimestamp = 0): string {
  const head = `WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:${firstTimestamp}\n`
  const blocks = cues.map(({ start, end, settings, text }) => {
    const places = settings === '' ? '' : ` ${settings}`
    return `\n${timeText(start)} --> ${timeText(end)}${places}\n${text}\n`
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

function readTiming(line: string): Omit<Cue, 'text'> | undefined {
  const [before = '', after = '', ...more] = line.split('-->', 3)
  const [endText = '', ...settings] = after.trim().split(/[ \t]/)
  const start = secondsOf(before.trim())
  const end = secondsOf(endText)
  if (more.length > 0 || start === undefined || end === undefined || end <= start) return undefined
  const fit = settings.filter((one) => SETTING.test(one)).slice(0, 5)
  return { start, end, settings: fit.join(' ') }
}

function secondsOf(text: string): number | undefined {
  const found = TIME.exec(text)
  if (!found) return undefined
  const [, hours = '0', minutes, seconds, thousandths] = found
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(thousandths) / 1000
}

function timeText(time: number): string {
  const thousandths = Math.round(time * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const clock = `${two(thousandths / 3_600_000)}:${two((thousandths / 60_000) % 60)}:${two((thousandths / 1000) % 60)}`
  return `${clock}.${String(thousandths % 1000).padStart(3, '0')}`
}

/** Keeps known tags and drops others. The remaining text can begin neither a tag nor a cue. */
function cleanText(text: string): string {
  let clean = ''
  for (let at = 0; at < text.length; ) {
    const { written, length } = nextPiece(text, at)
    clean += written
    at += length
  }
  return clean
}

const MAX_TAG = 200

function nextPiece(text: string, at: number): { written: string; length: number } {
  const sign = text[at]!
  if (sign === '>') return { written: '&gt;', length: 1 }
  if (sign === '&') {
    const entity = ENTITY.exec(text.slice(at, at + LONGEST_ENTITY))
    return entity
      ? { written: entity[0], length: entity[0].length }
      : { written: '&amp;', length: 1 }
  }
  if (sign !== '<') return { written: sign, length: 1 }
  const end = text.slice(at, at + MAX_TAG).indexOf('>')
  if (end === -1) return { written: '&lt;', length: 1 }
  const tag = text.slice(at + 1, at + end)
  return { written: PLAIN_TAGS.has(tag) ? `<${tag}>` : '', length: end + 1 }
}
