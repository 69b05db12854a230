// Which objects go, by the rule in README.md, and their removal. What names others goes first, so that an
// interruption leaves something unused, and never a name of something missing.

import { DAY_MS, HOUR_MS } from '../../../base/util/durations.ts'
import type { Base } from './bases.ts'
import type { Chunks } from './chunks.ts'
import type { FileList } from './files.ts'
import { FOLDERS, readChangeName, readTimed } from './names.ts'
import type { Objects } from './objects.ts'

type Timed = { name: string; at: number }

const ALWAYS_RETAINED = 2
const WEEKS = 4
const WEEK_MS = 7 * DAY_MS
const EVERY_CHANGE_MS = 48 * HOUR_MS
const FULL_PRIVATE_STATES = 3

/**
 * The newest two, the last one of each of the last `days` days, and the last one of each of the
 * four weeks before. Days and weeks are those of UTC, counted from 1970.
 */
function storedOf(
  all: readonly Timed[],
  { now, days }: { now: number; days: number },
): Set<string> {
  const newestFirst = [...all].sort((a, b) => b.at - a.at)
  const retained = new Set(newestFirst.slice(0, ALWAYS_RETAINED).map(({ name }) => name))
  const periods = new Set<string>()
  const weeksFrom = now - days * DAY_MS
  for (const { name, at } of newestFirst) {
    if (at < weeksFrom - WEEKS * WEEK_MS) break
    const period =
      at >= weeksFrom ? `day ${Math.floor(at / DAY_MS)}` : `week ${Math.floor(at / WEEK_MS)}`
    if (!periods.has(period)) retained.add(name)
    periods.add(period)
  }
  return retained
}

/** Whether a change is needed for a kept base: up to its completion, and for 48 hours all that follow. */
function isNeeded(
  { run, seq }: { run: string; seq: number },
  bases: readonly Pick<Base, 'run' | 'from' | 'through' | 'at'>[],
  now: number,
): boolean {
  return bases.some((base) => {
    if (base.run !== run || seq < base.from) return false
    return seq <= base.through || base.at > now - EVERY_CHANGE_MS
  })
}

/** Not while anything that names chunks is being sent. @throws BucketError, SealError */
export async function prune(parts: {
  objects: Objects
  chunks: Chunks
  run: string
  days: number
  now: number
}): Promise<{ removed: number }> {
  const { objects, chunks, now } = parts
  const bases = await pruneTimed(parts, FOLDERS.bases)
  const lists = await pruneTimed(parts, FOLDERS.files)
  const storedBases = await Promise.all(bases.stored.map((name) => objects.getJson<Base>(name)))
  const storedLists = await Promise.all(lists.stored.map((name) => objects.getJson<FileList>(name)))
  const changes = (await objects.list(FOLDERS.runs)).filter(({ name }) => {
    const change = readChangeName(name)
    return change !== undefined && !isNeeded(change, storedBases, now)
  })
  await objects.remove(changes.map(({ name }) => name))
  const privates = await olderPrivateStates(objects)
  await objects.remove(privates)
  const used = new Set([
    ...storedBases.flatMap((base) => base.chunks),
    ...storedLists.flatMap(({ files }) => files.flatMap((file) => file.chunks)),
  ])
  const unused = [...chunks.stored().keys()].filter((hash) => !used.has(hash))
  await chunks.remove(unused)
  const removed = [bases.removed, lists.removed, changes.length, privates.length, unused.length]
  return { removed: removed.reduce((sum, value) => sum + value, 0) }
}

async function pruneTimed(
  { objects, days, now }: { objects: Objects; days: number; now: number },
  folder: string,
): Promise<{ stored: string[]; removed: number }> {
  const all = (await objects.list(folder)).flatMap(({ name }) => {
    const timed = readTimed(name)
    return timed ? [{ name, at: timed.at }] : []
  })
  const retained = storedOf(all, { now, days })
  const gone = all.filter(({ name }) => !retained.has(name)).map(({ name }) => name)
  await objects.remove(gone)
  return { stored: [...retained], removed: gone.length }
}

/** All before the third newest full one. */
async function olderPrivateStates(objects: Objects): Promise<string[]> {
  const names = (await objects.list(FOLDERS.private)).map(({ name }) => name).sort()
  const full = names.filter((name) => name.endsWith('.full'))
  const oldest = full.at(-FULL_PRIVATE_STATES)
  return oldest === undefined ? [] : names.filter((name) => name < oldest)
}
