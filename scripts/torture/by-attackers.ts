// `npm run torture -- --kind attackers`: what attackers do to a member's warm page and to the serving thread,
// at the size that is asked for.

import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AttackersReport,
  type AttackRow,
  runAttackers,
} from '../../test/support/attackers/run.ts'
import { fillDataFolder } from '../../test/support/costly/data-folder.ts'

export const ATTACKERS_USAGE = `--kind attackers polls a member's warm page beside attackers, one attack after another, over the same rows:
  --posts N      how many posts there are (300000); the other rows are as many as fit
  --seconds N    how long each attack lasts (5)
  --generated N  how many of the requests of --kind costly are sent, spread over them (all)`

type Options = {
  posts: number
  seconds: number
  mostGenerated: number | undefined
  isJson: boolean
}

/** Of what there may be most of, in a world of as many posts. */
const POSTS_A_ROW = 5
const MOST_TURN_MS = 60
const MOST_AHEAD_MS = 100

/** @returns whether no turn was too long */
export async function tortureByAttackers(options: Options): Promise<boolean> {
  const { posts, isJson } = options
  const say = isJson ? () => undefined : console.log
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-attackers-'))
  try {
    say(`filling a data folder with ${posts} posts`)
    const cast = fillDataFolder(dataDir, Math.ceil(posts / POSTS_A_ROW), true)
    say(HEADER)
    const report = await runAttackers({
      ...options,
      dataDir,
      cast,
      onRow: (row) => say(line(row)),
    })
    console.log(isJson ? JSON.stringify(report) : sum(report))
    return isHarmless(report)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function isHarmless({ rows }: AttackersReport): boolean {
  const isQuick = ({ turnMs, aheadMs }: AttackRow) =>
    turnMs <= MOST_TURN_MS && aheadMs <= MOST_AHEAD_MS
  return rows.every(isQuick)
}

const HEADER = `| attack | by | at once | page p99: thread | wall clock | idle server | longest turn | answers | load |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |`

function line({
  attack,
  by,
  atOnce,
  p99Ms,
  noiseMs,
  aheadMs,
  turnMs,
  statuses,
}: AttackRow): string {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
  const [load = 0] = loadavg()
  const times = [aheadMs, p99Ms, noiseMs, turnMs].map(ms)
  const cells = [attack, by, atOnce, ...times, answers.join(', ')]
  return `| ${cells.join(' | ')} | ${load.toFixed(0)} |`
}

function sum({ rows }: AttackersReport): string {
  const longest = Math.max(...rows.map(({ turnMs }) => turnMs))
  const ahead = Math.max(...rows.map(({ aheadMs }) => aheadMs))
  return `the longest turn: ${ms(longest)} (bound ${MOST_TURN_MS} ms)
the serving thread's work while a member's page waits, p99: at most ${ms(ahead)} (bound ${MOST_AHEAD_MS} ms)`
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}
