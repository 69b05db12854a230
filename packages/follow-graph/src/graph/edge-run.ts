// A run of follow changes, made together. Alone, each change waits for memory four times: for the heads and the
// sets of two accounts. In a run the graph reads all of these first, so that the processor fetches them side
// by side (group prefetching: Chen, Ailamaki, Gibbons and Mowry, 2004), and publishes the changes at once
// (docs/notes/2026-11-27-edges-in-runs.md).

import type { FollowGraphWriter } from './types.ts'

/** The longest run: as many changes as share their publication (owner-versions.ts). */
export const EDGE_RUN = 256

/** Gathers changes of a graph, and makes them in their order, a run at a time. */
export class EdgeRuns {
  readonly #graph: FollowGraphWriter
  readonly #run = {
    creators: new Int32Array(EDGE_RUN),
    subjects: new Int32Array(EDGE_RUN),
    added: new Uint8Array(EDGE_RUN),
    count: 0,
  }

  constructor(graph: FollowGraphWriter) {
    this.#graph = graph
  }

  push(creator: number, subject: number, isAdded: boolean): void {
    const run = this.#run
    run.creators[run.count] = creator
    run.subjects[run.count] = subject
    run.added[run.count++] = isAdded ? 1 : 0
    if (run.count === EDGE_RUN) this.flush()
  }

  /** Makes the changes gathered so far: they are not in the graph before. */
  flush(): void {
    const run = this.#run
    if (run.count > 0) this.#graph.changeAll(run)
    run.count = 0
  }
}
