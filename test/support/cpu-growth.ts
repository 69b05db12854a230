// How the processor time of a piece of work grows with its input: twofold if linear, fourfold if quadratic.
// Work that is fast at the larger size is measured only once; slow work is measured again, since machines are
// busy and any try may include a garbage collection.

const TRIES = 3
const ROUNDS = 3
/** Fast enough. For 100 kB, comparing every pair of characters once takes many times as long. */
const QUICK_MS = 150
const MOST_GROWTH = 3.3

type Work = (size: number) => unknown

/** @returns undefined if linear, otherwise the measured times */
export async function superlinear(work: Work, size: number): Promise<string | undefined> {
  if ((await cpuMs(work, size)) < QUICK_MS) return undefined
  let found = ''
  for (let round = 0; round < ROUNDS; round++) {
    const large = await least(work, size)
    if (large < QUICK_MS) return undefined
    const half = await least(work, size / 2)
    if (large <= MOST_GROWTH * half) return undefined
    found = `${size / 2}: ${half.toFixed(1)} ms, ${size}: ${large.toFixed(1)} ms`
  }
  return found
}

async function least(work: Work, size: number): Promise<number> {
  let found = Number.POSITIVE_INFINITY
  for (let i = 0; i < TRIES; i++) found = Math.min(found, await cpuMs(work, size))
  return found
}

async function cpuMs(work: Work, size: number): Promise<number> {
  const before = process.threadCpuUsage()
  await work(size)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
