// Making the data folder: what can't be made is refused at once, with advice that fits.

import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataDir } from '../../../../src/data/store/files/lock.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'slipstream-folder-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function refusalOf(folder: string): string {
  try {
    lockDataDir(folder).release()
    return 'made'
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string }
    return `${message} ${hint}`
  }
}

test('folders above it are made, for its user alone', () => {
  const folder = join(base, 'a/b/data')
  lockDataDir(folder).release()
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test.runIf(existsSync('/proc/self'))(
  'where a file system makes no folders, it says so at once',
  () => {
    expect(refusalOf('/proc/nope')).toMatch(/\/proc\/nope cannot be made.* Set SLIPSTREAM_DATA_DIR/)
    expect(refusalOf('/proc/nope/deeper')).toMatch(/\/proc\/nope.* cannot be made/)
  },
)

test('a link that leads nowhere is called that', () => {
  const link = join(base, 'data')
  symlinkSync(join(base, 'unmounted'), link)
  expect(refusalOf(link)).toMatch(/symbolic link to .*unmounted, which does not exist.* Mount/)
  symlinkSync(base, join(base, 'whole'))
  expect(refusalOf(join(base, 'whole'))).toBe('made')
})

test('a file in its place is no folder', () => {
  writeFileSync(join(base, 'data'), '')
  const isFile = new RegExp(`^${base}/data is a file, not a folder\\. Set SLIPSTREAM_DATA_DIR`)
  expect(refusalOf(join(base, 'data'))).toMatch(isFile)
  expect(refusalOf(join(base, 'data/below'))).toMatch(isFile)
  symlinkSync(join(base, 'data'), join(base, 'link'))
  expect(refusalOf(join(base, 'link/deep/below'))).toMatch(/link is a file, not a folder/)
})
