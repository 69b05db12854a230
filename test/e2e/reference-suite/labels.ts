// Whoever the tests say labels for in the reference's Postgres, a stand-in signs and streams them. The stand-in's key and
// address are put into the DID document that Slipstream reads (plc-of-today.ts). The tests' own labeler is
// did:example:labeler, whom nobody can resolve: a did:web says its labels, and the proxy exchanges the names.

import { startLabelerDouble } from '../../support/labeler-double.ts'
import type { DidDocument } from '../../support/plc-double.ts'
import { startWebLabeler } from '../conformance/web-labeler.ts'
import type { ChangeDocument } from '../support/plc-of-today.ts'

export type Labeler = Awaited<ReturnType<typeof startWebLabeler>>

export type Labelers = {
  readonly example: Labeler
  isStanding: (source: string) => boolean
  /** Whoever says the labels of this source; started if it is the first of them. */
  of: (source: string) => Promise<Labeler>
  changeDocument: ChangeDocument
  close: () => Promise<void>
}

let did = ''

export const EXAMPLE = 'did:example:labeler'

export function LABELER_STAND_IN(): string {
  return did
}

export async function startLabelers(): Promise<Labelers> {
  const example = await startWebLabeler()
  did = example.did
  const standing = new Map<string, Labeler>([
    [EXAMPLE, example],
    [example.did, example],
  ])
  const declared = new Map<string, DidDocument>()

  async function start(source: string): Promise<Labeler> {
    const directory = {
      create: async () => ({ did: source }),
      edit: (_: string, change: (document: DidDocument) => DidDocument | undefined) =>
        void declared.set(source, change({}) ?? {}),
    }
    const labeler = await startLabelerDouble(directory, 'labeler.test')
    standing.set(source, labeler)
    return labeler
  }

  return {
    example,
    isStanding: (source) => standing.has(source),
    of: async (source) => standing.get(source) ?? (await start(source)),
    changeDocument: (document) => merged(document, declared.get(document.id)),
    async close() {
      for (const labeler of new Set(standing.values())) await labeler.close()
    },
  }
}

type Part = { id: string }

/** The document with the stand-in's entries in place of those that have the same names. */
function merged<T extends { id: string }>(document: T, declared: DidDocument | undefined): T {
  const lists: Record<string, unknown> = { ...document }
  for (const [name, parts] of Object.entries(declared ?? {})) {
    const added = parts as Part[]
    const names = new Set(added.map(nameOf))
    const filtered = ((lists[name] ?? []) as Part[]).filter((part) => !names.has(nameOf(part)))
    lists[name] = [...filtered, ...added]
  }
  return { ...document, ...lists }
}

function nameOf({ id }: Part): string {
  return id.slice(id.indexOf('#'))
}
