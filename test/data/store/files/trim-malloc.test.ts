// Free memory between pieces in use goes back to the system, and the pieces stay as they are.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../../../../src/data/store/files/trim-malloc.ts')

/** Every three-hundredth of 60,000 pieces stays. */
const PROGRAM = `
  import { readFileSync } from 'node:fs'
  import { trimMalloc } from ${JSON.stringify(SOURCE)}
  const anonymous = () => Number(/Anonymous: +(\\d+)/.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))[1])
  const kept = []
  function fill() {
    const all = []
    for (let i = 0; i < 60_000; i++) {
      all.push(Buffer.allocUnsafeSlow(1_000).fill(i % 251))
      if (i % 300 === 0) kept.push(all.at(-1))
    }
  }
  fill()
  setTimeout(() => {
    gc()
    const before = anonymous()
    trimMalloc()
    const isWhole = kept.every((piece, i) => piece.every((byte) => byte === (i * 300) % 251))
    console.log(JSON.stringify({ before, after: anonymous(), isWhole }))
  }, 100)
`

const isGlibc =
  (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header
    .glibcVersionRuntime !== undefined

test.runIf(isGlibc)('memory that is free goes back, and what is in use stays', () => {
  const args = ['--expose-gc', '--input-type=module', '-e', PROGRAM]
  const {
    before,
    after,
    isWhole: isComplete,
  } = JSON.parse(execFileSync(process.execPath, args).toString())
  expect(isComplete).toBe(true)
  expect(before - after).toBeGreaterThan(20_000)
})
