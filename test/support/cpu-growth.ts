// How much processor time a piece of work takes as what it is given grows: twice as much where it is
// linear, four times where it is quadratic. What is quick at the larger size is not looked at twice,
// and what was slow once is tried again, since machines are busy and a collection may fall into every try.

const TRIES = 3
const ROUNDS = 3
/** Quick. Of 100 kB, a single comparison of every pair of characters takes many times as long. */
const QUICK_MS = 150
const MOST_GROWTH = 3.3

type Work = (size: number) => unknown

/** @returns undefined where it is linear, or else what was found */
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
