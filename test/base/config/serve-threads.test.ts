// How many threads serve where the operator sets nothing.

import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { threadsFor } from '../../../src/base/config/serve-threads.ts'

const vps = { cores: 2, memoryMb: 4_000, platform: 'linux' } as const

test.each([
  ['a VPS of one core', { ...vps, cores: 1 }, 1],
  ['a VPS of two cores', vps, 1],
  ['four cores', { ...vps, cores: 4, memoryMb: 8_000 }, 3],
  ['four cores with 1 GB', { ...vps, cores: 4, memoryMb: 1_000 }, 1],
  ['sixteen cores with 4 GB', { ...vps, cores: 16 }, 7],
  ['a machine of 128 cores', { ...vps, cores: 128, memoryMb: 500_000 }, 64],
  ['a system whose threads cannot share a port', { ...vps, cores: 8, platform: 'darwin' }, 1],
] as const)('%s', (_, machine, threads) => {
  expect(threadsFor(machine)).toBe(threads)
})

test('what the operator sets holds, and auto is the default', () => {
  const threads = (text?: string) =>
    loadConfig(text === undefined ? {} : { SLIPSTREAM_SERVE_THREADS: text }, '/nonexistent/.env')
      .serveThreads
  expect(threads('5')).toBe(5)
  expect(threads()).toBe(threads('auto'))
  expect(threads()).toBeLessThanOrEqual(Math.max(1, availableParallelism() - 1))
  expect(() => threads('many')).toThrow('a whole number from 1 to 64, or auto')
})
