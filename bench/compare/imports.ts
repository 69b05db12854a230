// Compares `slipstream import-follows` of this tree and another, each with its own command and into its own
// running server, which reads an idle stream. The trees take turns (A, B, B, A), and import the same lists of
// keyed follows into an empty index.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJetstreamDouble } from '../../test/support/jetstream-double/double.ts'
import { type FollowList, writeFollowLists } from '../world/follow-lists.ts'
import { inTurns, reportRatio } from './in-turns.ts'
import { readTrees } from './read-trees.ts'

const USAGE = 'node bench/compare/imports.ts OTHER_TREE [--rounds 4] [--lines 100000]'
const { values, trees } = readTrees(USAGE, {
  rounds: { type: 'string', default: '4' },
  lines: { type: 'string', default: '100000' },
})

const folder = mkdtempSync(join(tmpdir(), 'slipstream-bench-import-'))
const stream = await createJetstreamDouble()
try {
  for (const list of writeFollowLists(folder, Number(values.lines))) {
    const pairs = await inTurns(Number(values.rounds), (i) => importInto(trees[i]!, list))
    reportRatio(`${list.name}.lines_per_s`, pairs, (perSecond) => perSecond)
  }
} finally {
  await stream.close()
  rmSync(folder, { recursive: true })
}

/** @returns lines per second, not counting the start of the command */
async function importInto(tree: string, list: FollowList): Promise<number> {
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  const { runApp } = await import(join(tree, 'bench/world/running-app.ts'))
  const { cliJson } = await import(join(tree, 'test/support/cli.ts'))
  const env = { JETSTREAM_HOSTS: stream.url, INDEX_SCOPE: 'network' }
  const app = await runApp({ dataDir, env })
  try {
    const at = { DATA_DIR: dataDir, INDEX_SCOPE: 'network' }
    const report = await cliJson(at, ['import-follows', list.path])
    if (report.tally.added !== list.lines) throw new Error(`added: ${report.tally.added}`)
    return list.lines / report.seconds
  } finally {
    await app.stop()
    rmSync(dataDir, { recursive: true })
  }
}
