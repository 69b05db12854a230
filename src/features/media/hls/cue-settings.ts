// The settings of a cue, which say where it is shown: those that the standard's parser accepts, the last of each
// name, written anew with numbers of ordinary length. https://www.w3.org/TR/webvtt1/#webvtt-settings-parsing

type Write = (value: string, of: string | undefined) => string | undefined

const PERCENTAGE = /^\d+(?:\.\d+)?%$/
const LINE = /^-?\d+(?:\.\d+)?$/
const LINE_ALIGNMENTS = ['start', 'center', 'end']
const POSITION_ALIGNMENTS = ['line-left', 'center', 'line-right']
const ALIGNMENTS = ['start', 'center', 'end', 'left', 'right']
/** No screen has as many lines. */
const MAX_LINE = 1_000_000

const oneOf =
  (...values: string[]): Write =>
  (value, of) =>
    of === undefined && values.includes(value) ? value : undefined

const SETTINGS: Readonly<Record<string, Write>> = {
  vertical: oneOf('rl', 'lr'),
  line: (value, of) => aligned(percentage(value) ?? lineNumber(value), of, LINE_ALIGNMENTS),
  position: (value, of) => aligned(percentage(value), of, POSITION_ALIGNMENTS),
  size: (value, of) => (of === undefined ? percentage(value) : undefined),
  align: oneOf(...ALIGNMENTS),
}

export function cleanCueSettings(text: string): string {
  const written = new Map<string, string>()
  for (const setting of text.split(/[ \t\f]+/)) {
    const colon = setting.indexOf(':')
    const name = setting.slice(0, Math.max(0, colon))
    if (!Object.hasOwn(SETTINGS, name)) continue
    const [value = '', ...alignment] = setting.slice(colon + 1).split(',')
    const of = alignment.length === 0 ? undefined : alignment.join(',')
    const clean = SETTINGS[name]!(value, of)
    if (clean !== undefined) written.set(name, `${name}:${clean}`)
  }
  return [...written.values()].join(' ')
}

function aligned(
  value: string | undefined,
  alignment: string | undefined,
  alignments: readonly string[],
): string | undefined {
  if (value === undefined || alignment === undefined) return value
  return alignments.includes(alignment) ? `${value},${alignment}` : undefined
}

function percentage(value: string): string | undefined {
  const number = PERCENTAGE.test(value) ? Number(value.slice(0, -1)) : Number.NaN
  return number <= 100 ? `${shortened(number)}%` : undefined
}

function lineNumber(value: string): string | undefined {
  if (!LINE.test(value)) return undefined
  return shortened(Math.max(-MAX_LINE, Math.min(MAX_LINE, Number(value))))
}

function shortened(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
