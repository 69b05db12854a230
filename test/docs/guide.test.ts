// The five minutes of CONTRIBUTING.md lead through files that really run, by V8's coverage of one event and one warm
// answer in a process of its own.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Walk } from '../../scripts/house/walks.ts'
import { root } from '../support/documentation.ts'

const MOST_FILES = 12
/** The share of the time from which a file must be named. Those left out take less than half of it. */
const MUCH = 0.1
const TIMEOUT_MS = 300_000

let walks: { event: Walk; answer: Walk }

beforeAll(async () => {
  const script = join(root, 'scripts/house.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--walks', root])
  walks = JSON.parse(stdout)
}, TIMEOUT_MS)

const [events, answers] = guide()

describe.each([
  ['event', events],
  ['answer', answers],
] as const)('the files of an %s', (name, named) => {
  test(`are named, ${MOST_FILES} at most`, () => {
    expect(named.length).toBeGreaterThan(5)
    expect(named.length).toBeLessThanOrEqual(MOST_FILES)
  })

  test('run', () => {
    const run = walks[name].files.map(({ file }) => file)
    expect(named.filter((file) => !run.includes(file))).toEqual([])
  })

  test('are those where most of the time goes', () => {
    const [first, ...others] = walks[name].files.toSorted((a, b) => b.share - a.share)
    const costly = [first!, ...others.filter(({ share }) => share > MUCH)]
    expect(first!.share).toBeGreaterThan(0)
    expect(costly.map(({ file }) => file).filter((file) => !named.includes(file))).toEqual([])
  })
})

/** The two columns of the table, from the top. */
function guide(): [events: string[], answers: string[]] {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const [, table = ''] = page.split('\n| an event | a request |\n')
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(1)
  const cells = rows.map((row) =>
    [...row.matchAll(/`((?:src|packages)\/[^`]+)`/g)].map(([, file]) => file!),
  )
  return [cells.map(([event]) => event!), cells.map(([, answer]) => answer!)]
}
