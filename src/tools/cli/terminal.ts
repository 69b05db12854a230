// Output of the command line: results to standard output, as tables for people and as JSON for scripts;
// progress to standard error, as a bar on a terminal and as lines elsewhere.

import { styleText } from 'node:util'
import { type Options, Presets, SingleBar } from 'cli-progress'
import { createGate } from '../../base/util/gate.ts'

type Format = (n: number) => string

export type Progress = {
  update(done: number, note?: string): void
  stop(): void
}

const LINE_EVERY_MS = 5_000
const BAR_EVERY_MS = 100

/** Prints the text, or JSON if requested. */
export function report(json: boolean | undefined, value: unknown, text: string): void {
  print(json ? JSON.stringify(value, null, 2) : text)
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Writes to standard error, apart from the result. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Unstyled if NO_COLOR is set or the output is not a terminal. */
export function dim(text: string): string {
  return styleText('dim', text, { stream: process.stdout })
}

export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

/** Pads columns to the width they need; the last one is left as it is. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!))).join('  ')
  return [dim(line(head)), ...rows.map(line)].join('\n')
}

/** `format` prints amounts; without it only the percentage is shown. */
export function startProgress(what: string, total: number, format?: Format): Progress {
  return process.stderr.isTTY ? startBar(what, total, format) : startLines(what, total, format)
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`
}

export function thousands(n: number): string {
  return n.toLocaleString('en-US')
}

function startBar(what: string, total: number, format?: Format): Progress {
  const options: Options = {
    format: `${what} {bar} {percentage}%  {of}{note}`,
    stream: process.stderr,
    fps: 1000 / BAR_EVERY_MS,
    hideCursor: true,
    clearOnComplete: false,
    gracefulExit: false,
  }
  const bar = new SingleBar(options, Presets.shades_classic)
  const of = (done: number) => (format ? `${format(done)} of ${format(total)}  ` : '')
  bar.start(Math.max(1, total), 0, { of: of(0), note: '' })
  return {
    update: (done, note = '') => bar.update(Math.min(done, total), { of: of(done), note }),
    stop: () => bar.stop(),
  }
}

function startLines(what: string, total: number, format?: Format): Progress {
  const maySay = createGate(LINE_EVERY_MS)
  // The first line waits for the first interval.
  maySay()
  return {
    update(done, note = '') {
      if (!maySay()) return
      const percent = Math.floor((100 * done) / Math.max(1, total))
      const of = format ? `, ${format(done)} of ${format(total)}` : ''
      say(`${what}: ${percent}%${of}${note && `, ${note}`}`)
    },
    stop() {},
  }
}
