// Runs many tasks in order, a limited number at once.

const AT_ONCE = 16

export async function inTurns<T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  const turns = Array.from({ length: count }, (_, i) => i).values()
  const go = async () => {
    for (const i of turns) results[i] = await work(i)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, go))
  return results
}
