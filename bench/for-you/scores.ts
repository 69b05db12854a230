// Recall@50 and nDCG@50 of pages against what readers liked afterwards.

export type Pages = ReadonlyMap<number, readonly number[]>
export type HeldOut = ReadonlyMap<number, ReadonlySet<number>>

export function recall(pages: Pages, held: HeldOut): number {
  return mean(held, (reader, liked) => {
    const hits = (pages.get(reader) ?? []).filter((post) => liked.has(post)).length
    return hits / Math.min(50, liked.size)
  })
}

export function ndcg(pages: Pages, held: HeldOut): number {
  return mean(held, (reader, liked) => {
    let gained = 0
    for (const [rank, post] of (pages.get(reader) ?? []).entries()) {
      if (liked.has(post)) gained += 1 / Math.log2(rank + 2)
    }
    let best = 0
    for (let rank = 0; rank < Math.min(50, liked.size); rank++) best += 1 / Math.log2(rank + 2)
    return gained / best
  })
}

function mean(held: HeldOut, of: (reader: number, liked: ReadonlySet<number>) => number): number {
  let sum = 0
  for (const [reader, liked] of held) sum += of(reader, liked)
  return sum / Math.max(1, held.size)
}

/** Which part of the pages is not in the others. */
export function moved(pages: Pages, others: Pages): number {
  let [count, all] = [0, 0]
  for (const [reader, page] of pages) {
    const other = new Set(others.get(reader))
    count += page.filter((post) => !other.has(post)).length
    all += page.length
  }
  return all === 0 ? 0 : count / all
}
