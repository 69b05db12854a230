// Compares how long the first pages take after a start of this tree and of another: each starts on its own
// folder with the same community, in turns, and a few seconds later every member's home timeline is asked for,
// one after another. By then nothing is compiled except what the start itself ran.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createJetstreamDouble } from '../../test/support/jetstream-double/double.ts'
import { startPlcDouble } from '../../test/support/plc-double.ts'
import { createViewerKey, signServiceToken } from '../load/service-tokens.ts'
import { SERVICE_DID } from '../world/serving-world.ts'
import { putDocuments } from '../world/viewers-documents.ts'
import { inTurns, median, reportRatio } from './in-turns.ts'
import { readTrees } from './read-trees.ts'

const COMMUNITY = {
  members: 100,
  followsEach: 1_000,
  listMean: 2,
  accounts: 5_500_000,
  events: 20_000,
}
const TIMELINE = 'app.bsky.feed.getTimeline'
const SETTLE_MS = 4_000
const FIRST = 20
/** More than the pages made in advance (src/http/xrpc/warm-up.ts). */
const LAST = 40

const USAGE = 'node bench/compare/first-pages.ts OTHER_TREE [--rounds 4]'
const { values, trees } = readTrees(USAGE, { rounds: { type: 'string', default: '4' } })

const plc = await startPlcDouble()
const double = await createJetstreamDouble({ recordSent: false })
const communities = [await seed(trees[0]), await seed(trees[1])]
try {
  const pairs = await inTurns(Number(values.rounds), (i) => firstPages(trees[i]!, communities[i]!))
  reportRatio('first.ms', pairs, ([first]) => first!)
  reportRatio(`first_${FIRST}.p50_ms`, pairs, (ms) => median(ms.slice(0, FIRST)))
  reportRatio(`first_${FIRST}.max_ms`, pairs, (ms) => Math.max(...ms.slice(0, FIRST)))
  reportRatio(`last_${LAST}.p50_ms`, pairs, (ms) => median(ms.slice(-LAST)))
} finally {
  for (const { dataDir } of communities) rmSync(dataDir, { recursive: true, force: true })
  await Promise.all([double.close(), plc.close()])
}

type Community = { dataDir: string; members: readonly string[] }

async function seed(tree: string): Promise<Community> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const { seedCommunity } = await import(join(tree, 'bench/world/community-world.ts'))
  return { dataDir, members: seedCommunity(dataDir, COMMUNITY, Date.now()).members }
}

/** @returns milliseconds of each member's first page, in the order asked */
async function firstPages(tree: string, { dataDir, members }: Community): Promise<number[]> {
  const key = createViewerKey(members[0]!)
  putDocuments(plc, members, () => key)
  const { runApp } = await import(join(tree, 'bench/world/running-app.ts'))
  const env = {
    JETSTREAM_HOSTS: double.url,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    SERVICE_DID,
    LABELERS: ',',
    TRUSTED_VERIFIERS: ',',
  }
  const app = await runApp({ dataDir, env })
  await pause(SETTLE_MS)
  const taken: number[] = []
  for (const did of members) {
    const token = signServiceToken({ ...key, did }, { aud: SERVICE_DID, lxm: TIMELINE })
    const startedAt = performance.now()
    const url = `http://127.0.0.1:${app.port}/xrpc/${TIMELINE}?limit=50`
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text}`)
    taken.push(performance.now() - startedAt)
  }
  await app.stop()
  return taken
}
