// Which files of a tree run for one event, from its frame to the timelines in memory, and for one warm home timeline,
// from the request to the bytes: by V8's precise coverage around it, in the small world of the tests. Where the time
// goes is sampled over many of both.

import { Session } from 'node:inspector/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createScene, type Scene } from './scene.ts'
import { fileOf, sharesOf } from './time-shares.ts'

/** A file below the tree, how many calls of its functions were made, and its share of the time (0 to 1). */
export type WalkedFile = { file: string; calls: number; share: number }

export type Walk = { files: WalkedFile[]; calls: number; folders: number }

/** Each sampled by itself; a file's share is its least, since a busy machine adds to one or another. */
const SAMPLES = 3
const ROUNDS = 1_000
const BATCH = 50
const WARM_UP = 30

/** @param tree - the root of a checkout, with its packages */
export async function walk(tree: string): Promise<{ event: Walk; answer: Walk }> {
  const scene = await createScene(tree)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  try {
    const src = `${pathToFileURL(join(tree, 'src')).href}/`
    for (let round = 0; round < WARM_UP; round++) await scene.answer()
    scene.events(WARM_UP)
    await scene.answer()
    const answerCalls = await callsOf(session, src, () => scene.answer())
    const eventCalls = await callsOf(session, src, () => scene.events(1))
    return {
      event: walkOf(eventCalls, await leastShares(() => eventShares(session, src, scene))),
      answer: walkOf(answerCalls, await leastShares(() => answerShares(session, src, scene))),
    }
  } finally {
    session.disconnect()
    scene.dispose()
  }
}

type Shares = ReadonlyMap<string, number>

async function leastShares(sample: () => Promise<Shares>): Promise<Shares> {
  let least = await sample()
  for (let i = 1; i < SAMPLES; i++) {
    const next = await sample()
    least = new Map([...least].map(([file, share]) => [file, Math.min(share, next.get(file) ?? 0)]))
  }
  return least
}

function answerShares(session: Session, src: string, scene: Scene) {
  return sharesOf(session, src, async () => {
    for (let round = 0; round < ROUNDS; round++) await scene.answer()
  })
}

/** In batches, as a stream brings them. */
function eventShares(session: Session, src: string, scene: Scene) {
  return sharesOf(session, src, () => {
    for (let round = 0; round < ROUNDS / BATCH; round++) scene.events(BATCH)
  })
}

/** @returns the calls made while `work` ran, by file below the tree */
async function callsOf(
  session: Session,
  src: string,
  work: () => unknown,
): Promise<Map<string, number>> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const counts = result.flatMap(({ url, functions }) => {
    const file = fileOf(url, src)
    const calls = functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)
    return file !== undefined && calls > 0 ? [[file, calls] as const] : []
  })
  return new Map(counts)
}

function walkOf(calls: ReadonlyMap<string, number>, shares: Shares): Walk {
  const files = [...calls].map(([file, count]) => {
    return { file, calls: count, share: shares.get(file) ?? 0 }
  })
  return {
    files: files.sort((a, b) => b.calls - a.calls),
    calls: files.reduce((sum, value) => sum + value.calls, 0),
    folders: new Set(files.map(({ file }) => dirname(file))).size,
  }
}
