// Lists by their newest items, newest first, as a binary heap: of thousands of lists a page opens a few
// dozen, so sorting all of them would be most of the work.

export class NewestFirst {
  readonly #heads: number[] = []
  readonly #lists: number[] = []

  add(list: number, head: number): void {
    this.#heads.push(head)
    this.#lists.push(list)
  }

  /** Yields every list added so far; none may be added meanwhile. */
  *take(): Generator<{ list: number; head: number }> {
    const [heads, lists] = [this.#heads, this.#lists]
    for (let i = (heads.length >> 1) - 1; i >= 0; i--) this.#sink(i)
    while (heads.length > 0) {
      yield { list: lists[0]!, head: heads[0]! }
      const [head, list] = [heads.pop()!, lists.pop()!]
      if (heads.length === 0) return
      heads[0] = head
      lists[0] = list
      this.#sink(0)
    }
  }

  #sink(from: number): void {
    const [heads, lists] = [this.#heads, this.#lists]
    const [head, list] = [heads[from]!, lists[from]!]
    let i = from
    for (let child = 2 * i + 1; child < heads.length; child = 2 * i + 1) {
      if (child + 1 < heads.length && heads[child + 1]! > heads[child]!) child++
      if (heads[child]! <= head) break
      heads[i] = heads[child]!
      lists[i] = lists[child]!
      i = child
    }
    heads[i] = head
    lists[i] = list
  }
}
