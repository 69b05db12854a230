// Edits that programs request for their graphs, and their outcomes: from a serving thread to the writer and
// back.

/** Creator and subject, by their names in that graph. */
export type Follow = readonly [creator: string, subject: string]

export type GraphEdit =
  | {
      kind: 'edit'
      graph: string
      add: readonly Follow[]
      remove: readonly Follow[]
      /** The edit is the next `lines` lines of a load, after the first `from`. */
      load?: { id: string; from: number; lines: number } | undefined
    }
  | { kind: 'delete'; graph: string }

/** `removed` of a deletion: 1 if the graph existed. */
export type GraphOutcome =
  | { ok: true; added: number; removed: number }
  | { ok: false; status: number; error: string; message: string }
