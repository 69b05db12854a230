// Measurements on a busy machine or with a late generator are reported and discarded.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFigures, saveFigures } from '../../bench/runner/saved-figures.ts'
import { summaryLines, tableLine } from '../../bench/runner/table.ts'
import { watchOthers } from '../../bench/world/other-processes.ts'
import { plainPath, startPlainServer } from '../../bench/world/plain-server.ts'
import { readCpu } from '../../bench/world/process-cpu.ts'
import { disturbanceOf } from '../../bench/world/quiet-load.ts'
import { until } from '../support/eventually.ts'

/** A process that spins, to be killed. */
function spin(): ChildProcess {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
}

test('processor time of other processes is counted, that of the measured ones is not', async () => {
  const [measured, other] = [spin(), spin()]
  try {
    const others = watchOthers([measured.pid!])
    const all = watchOthers([])
    const spentBy = () => readCpu(other.pid!).total * 1000
    const before = spentBy()
    await until(() => spentBy() - before > 300)
    const spent = spentBy() - before
    expect(others()).toBeGreaterThanOrEqual(spent)
    expect(all() - others()).toBeGreaterThan(0)
  } finally {
    for (const childProcess of [measured, other]) childProcess.kill('SIGKILL')
  }
})

test('a slice is disturbed by a late generator and by others', () => {
  expect(disturbanceOf({ lateMs: 0.4, othersMs: 20 })).toBeUndefined()
  expect(disturbanceOf({ lateMs: 7 })).toBe('the generator was late by 7.0 ms')
  expect(disturbanceOf({ lateMs: 3, latencyMs: 168 })).toBeUndefined()
  expect(disturbanceOf({ lateMs: 7, latencyMs: 168 })).toBeDefined()
  expect(disturbanceOf({ lateMs: 0.4, othersMs: 400 })).toBe('others ran for 400 ms/s')
})

test('a plain server answers with the bytes and at the cost that are asked for', async () => {
  const plain = await startPlainServer()
  try {
    const ask = async (rounds: number) => {
      const before = plain.cpu().serving
      const path = plainPath({ rounds, bytes: 1_234 })
      const response = await fetch(`http://127.0.0.1:${plain.port}${path}`)
      expect(await response.text()).toBe('x'.repeat(1_234))
      return plain.cpu().serving - before
    }
    await ask(0)
    expect(await ask(1e8)).toBeGreaterThan(10 * (await ask(0)))
  } finally {
    plain.stop()
  }
})

test('a doubtful figure is neither saved nor judged, and says why', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'slipstream-figures-')), 'figures.json')
  const figure = { name: 'getTimeline.p99_ms', value: 48, unit: 'ms' }
  saveFigures(path, [{ ...figure, value: 1 }], { full: false })
  const doubted = { ...figure, doubt: 'the machine was busy with something else (40 %)' }
  saveFigures(path, [doubted], { full: false })
  expect(readFigures(path)['getTimeline.p99_ms']!.value).toBe(1)
  expect(summaryLines([doubted])).toEqual([])
  expect(tableLine(doubted)).toMatch(/48 ms +thrown away: the machine was busy/)
})
