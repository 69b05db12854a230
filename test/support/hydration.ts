// A hydrator over a social world in a database of its own.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { createHydrator } from '../../src/answers/hydrate/hydrator.ts'
import type { Hydrator } from '../../src/answers/hydrate/hydrator-types.ts'
import { createReader, type Reader } from '../../src/answers/hydrate/reader.ts'
import { createMediaUrls } from '../../src/answers/views/media-urls.ts'
import { type Db, openReader, type WriteDb } from '../../src/data/store/db.ts'
import { openEmpty } from './empty-database.ts'
import { verifierOf } from './random-world.ts'
import { referenceUrlPatterns } from './reference-appview.ts'
import type { World } from './social-world.ts'
import { type WrittenWorld, writeRows } from './world-rows.ts'

export type HydratedWorld = {
  written: WrittenWorld
  hydrator: Hydrator
  /** The connection used for hydration. */
  db: Db
  writer: WriteDb
  /** Stored records that could not be used. */
  unusable: string[]
  /** Returns a reader that names no labelers. */
  reader(did: string | undefined): Reader
  close(): void
}

export function hydrateWorld(world: World, write = writeRows): HydratedWorld {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-hydrate-'))
  const writer = openEmpty(folder)
  const written = write(writer, world)
  const reader = openReader(folder)
  const unusable: string[] = []
  const hydrator = createHydrator({
    db: reader,
    actors: written.actors,
    graph: written.graph,
    urls: createMediaUrls(referenceUrlPatterns),
    trustedVerifiers: [verifierOf(world)],
    onUnusable: (what) => unusable.push(what),
  })
  return {
    written,
    hydrator,
    db: reader,
    writer,
    unusable,
    reader: (did) => createReader(did === undefined ? undefined : { did, uid: written.uid(did) }),
    close: () => {
      reader.close()
      writer.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Compares both as they go over the wire.
 * @returns ours
 */
export function expectSameOnTheWire(ours: unknown, theirs: unknown, where: string): unknown {
  const [first, other] = [overTheWire(ours), overTheWire(theirs)]
  // Vitest's own comparison is slower, and only needed to describe a difference.
  if (!isDeepStrictEqual(first, other)) expect(first, where).toEqual(other)
  return first
}

/**
 * Converts a view to its wire form: undefined values vanish, and the reference's CID objects become
 * links.
 */
export function overTheWire(view: unknown): unknown {
  const link = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && '/' in value ? { $link: value['/'] } : value
  if (view === undefined) return undefined
  const text = JSON.stringify(view)
  // A reviver costs five times as much as parsing.
  return text.includes('"/":') ? JSON.parse(text, link) : JSON.parse(text)
}
