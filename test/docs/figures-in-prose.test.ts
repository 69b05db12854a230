// Figures that pages state in their sentences are those of the code: defaults of settings, what calls cost, what a first
// sign-in fetches, exit codes, and the traffic of a month.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventsPerS, stream } from '../../bench/cost/model.ts'
import { everySetting } from '../../src/base/config/every-setting.ts'
import { features } from '../../src/base/feature.ts'
import { HOUR_MS } from '../../src/base/util/durations.ts'
import { costOf } from '../../src/http/overload/method-costs.ts'
import { DEFAULT_LIMITS } from '../../src/ingest/backfill/limits.ts'
import { EXIT } from '../../src/tools/fail.ts'
import { proseOf, readPages, root } from '../support/documentation.ts'

const pages = readPages().filter(({ path }) => path !== 'CHANGELOG.md' && !path.includes('notes/'))
const prose = (path: string) =>
  proseOf(pages.find((page) => page.path === path)!).replaceAll('\n', ' ')
const defaults = new Map(Object.values(everySetting).map(({ key, fallback }) => [key, fallback]))
const NUMBERS: Record<string, string> = { seven: '7', ten: '10' }

type Stated = readonly [where: string, key: string, value: string]

describe.skipIf(features.length === 0)('defaults', () => {
  /** `SLIPSTREAM_MAX_MEMBERS` (10,000; 0: no limit) */
  const after = pages.flatMap((page): Stated[] =>
    [
      ...proseOf(page).matchAll(
        /`(SLIPSTREAM_[A-Z_]+)`\s\((?:default\s)?`?(\d[\d,]*|[a-z]+)`?(?=[;)])/g,
      ),
    ].map(([, key, value]) => [page.path, key!, value!]),
  )
  /** The last 36 hours (`SLIPSTREAM_REPLAY_HOURS`) */
  const before = pages.flatMap((page): Stated[] =>
    [...proseOf(page).matchAll(/\b(\d[\d,]*|seven|ten) [a-z]+\s\(`(SLIPSTREAM_[A-Z_]+)`\)/g)].map(
      ([, value, key]) => [page.path, key!, value!],
    ),
  )
  const plain = (value: string) => (NUMBERS[value] ?? value).replaceAll(',', '')

  test('are stated in many places', () => {
    expect(after.length).toBeGreaterThan(7)
    expect(before.length).toBeGreaterThan(1)
  })

  test.each([...after, ...before])('%s: %s is %s', (_, key, value) => {
    expect([key, defaults.get(key) ?? 'none']).toEqual([key, plain(value)])
  })
})

describe('docs/OPERATING.md', () => {
  const operating = prose('docs/OPERATING.md')

  test('says what calls cost', () => {
    const [, most, writes, searches] = /Most calls cost (\d+), writes (\d+), searches (\d+);/
      .exec(operating)!
      .map(Number)
    const costs = [
      costOf({ nsid: 'app.bsky.feed.getTimeline', kind: 'query' }),
      costOf({ nsid: 'app.bsky.graph.muteActor', kind: 'procedure' }),
      costOf({ nsid: 'app.bsky.feed.searchPosts', kind: 'query' }),
    ]
    expect(costs.map(({ points }) => points)).toEqual([most, writes, searches])
  })

  test('says what a first sign-in fetches', () => {
    expect(operating).toContain('the ten newest posts and the ten newest reposts of each account')
    expect(DEFAULT_LIMITS.latest).toBe(10)
    expect(/the last (\d+) hours \(`SLIPSTREAM_REPLAY_HOURS`\)/.exec(operating)![1]).toBe(
      String(DEFAULT_LIMITS.recentMs / HOUR_MS),
    )
    expect(/holds (\d+) items/.exec(operating)![1]).toBe(String(DEFAULT_LIMITS.timelineTarget))
  })

  test('has every exit code, and the unit does not restart after those that it says', () => {
    const table = /## Exit codes([\s\S]*)$/.exec(
      readFileSync(join(root, 'docs/OPERATING.md'), 'utf8'),
    )![1]!
    const notified = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
    const { interrupted: _, ...codes } = EXIT
    expect(notified).toEqual([0, ...Object.values(codes).sort((a, b) => a - b)])
    const unit = readFileSync(join(root, 'deploy/systemd/slipstream.service'), 'utf8')
    const [, some] = /^RestartPreventExitStatus=(.*)$/m.exec(unit)!
    expect(/does not restart after ([\d and]+),/.exec(table)![1]!.split(' and ')).toEqual(
      some!.split(' '),
    )
  })
})

test('README.md states the traffic of a month as the cost model has it', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, events, bytes] = /network's (\d+) events a second at (\d+) bytes/.exec(readme)!
  expect([Number(events), Number(bytes)]).toEqual([eventsPerS(), stream.compressedBytesPerEvent])
  const [, month] = /^\| Jetstream, compressed: the default \| ([\d,]+) \|/m.exec(readme)!
  const gigabytes = (Number(events) * Number(bytes) * 30 * 86_400) / 1e9
  expect(Math.round(gigabytes / 10) * 10).toBe(Number(month))
})

test('README.md asks for the Node.js that scripts/setup.sh asks for', () => {
  const readme = prose('README.md')
  const setup = readFileSync(join(root, 'scripts/setup.sh'), 'utf8')
  const [, least] = /Node\.js (\d+) or later/.exec(readme)!
  expect(setup).toContain(`any version from ${least} on`)
})
