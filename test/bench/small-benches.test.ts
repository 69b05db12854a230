// Small versions of the benchmarks, run as `npm run bench -- NAME… --json`: they still work on the current
// code, and only figures reach standard output. The values are not judged here.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../../bench/main.ts')
const TIMEOUT_MS = 300_000

type Run = { stdout: string; stderr: string; code: number }

async function bench(...args: string[]): Promise<Run> {
  try {
    const run = promisify(execFile)
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], { timeout: TIMEOUT_MS })
    return { stdout, stderr, code: 0 }
  } catch (error) {
    const { stdout, stderr, code } = error as Run
    return { stdout, stderr, code }
  }
}

/** Each line must be `{"name","value","unit"}` with at most a doubt added. */
function figuresOf({ stdout, stderr, code }: Run): Map<string, number> {
  expect(code, stderr).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  const figures = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  for (const figure of figures) {
    expect(Object.keys(figure).slice(0, 3)).toEqual(['name', 'value', 'unit'])
    // On a machine that runs other work as well.
    expect(Object.keys(figure).slice(3)).toEqual('doubt' in figure ? ['doubt'] : [])
    expect(figure['value']).toBeTypeOf('number')
  }
  return new Map(figures.map(({ name, value }) => [name as string, value as number]))
}

describe('--json', () => {
  test(
    'hot shards: the limit takes load off the busiest shard, the same for the same seeds',
    async () => {
      const figures = figuresOf(await bench('--json', 'hot-shards'))
      const figureOf = (name: string) => figures.get(`hot-shards.${name}`)!
      expect(figureOf('after.busiest_shard')).toBeLessThan(figureOf('before.busiest_shard') / 2)
      expect(figureOf('after.job_p99_s')).toBeLessThan(figureOf('before.job_p99_s'))
      expect(figureOf('no_hot.after.median_shard')).toBeGreaterThan(0)
      expect(figureOf('reader.500.limit.2000.kept')).toBe(100)
      expect(figureOf('reader.5000.limit.2000.kept')).toBeCloseTo(40, 0)
      expect(figuresOf(await bench('--json', 'hot-shards'))).toEqual(figures)
    },
    TIMEOUT_MS,
  )

  test(
    'timelines and visibility, by the names of two figures and nothing more',
    async () => {
      const names = ['timeline.skeleton.1m.us', 'visible.p99_ms']
      const figures = figuresOf(await bench('--json', ...names))
      expect([...figures.keys()].sort()).toEqual(names)
      for (const value of figures.values()) expect(value).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )

  test(
    'serving: the load generator queries a real process, which answers',
    async () => {
      const figures = figuresOf(await bench('--json', 'getKnownFollowers'))
      expect(figures.get('getKnownFollowers.rps')).toBeGreaterThan(1)
      // A page of known followers contains profiles; an error does not.
      expect(figures.get('getKnownFollowers.body')).toBeGreaterThan(1_000)
      expect([...figures.keys()].every((name) => name.startsWith('getKnownFollowers.'))).toBe(true)
    },
    TIMEOUT_MS,
  )

  test('an unknown name is reported on standard error, and fails', async () => {
    const { stdout, stderr, code } = await bench('--json', 'nonsense')
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('No benchmark or figure begins with nonsense')
  })

  test('an unknown option prints the usage', async () => {
    const { stderr, code } = await bench('--jason')
    expect(code).toBe(64)
    expect(stderr).toContain('npm run bench -- [NAME…] [options]')
  })
})
