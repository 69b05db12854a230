// What programs ask to be changed of their graphs, and what becomes of it: from a serving thread to the writer and
// back.

/** Who follows whom, by their names in that graph. */
export type Follow = readonly [creator: string, subject: string]

export type GraphEdit =
  | {
      kind: 'edit'
      graph: string
      add: readonly Follow[]
      remove: readonly Follow[]
      /** These are so many lines of a load, after as many as `from` says. */
      load?: { id: string; from: number; lines: number } | undefined
    }
  | { kind: 'delete'; graph: string }

/** `removed` of a deletion: 1 where there was such a graph. */
export type GraphOutcome =
  | { ok: true; added: number; removed: number }
  | { ok: false; status: number; error: string; message: string }
