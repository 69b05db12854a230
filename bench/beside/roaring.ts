// Roaring bitmaps, which graphd uses for its follows, as WebAssembly
// (https://github.com/SalvatorePreviti/roaring-wasm). The native package is tied to
// one Node version. Skipped where npm can't bring them.

import type { Contestant } from '../support/graph-lists.ts'
import { fromNpm } from './from-npm.ts'

const PACKAGE = 'roaring-wasm@1.1.0'

export type Roaring = {
  sets(): Contestant
  /** Builds both lists once; returns a function that counts common ones. */
  inBoth(a: Int32Array, b: Int32Array): () => number
}

type Bitmap = {
  add(value: number): unknown
  has(value: number): boolean
  remove(value: number): unknown
  andCardinality(other: Bitmap): number
  dispose(): boolean
}

type Library = {
  RoaringBitmap32: new (values?: Iterable<number>) => Bitmap
  roaringLibraryInitialize(): Promise<void>
}

export async function loadRoaring(): Promise<Roaring | undefined> {
  const packages = fromNpm(PACKAGE)
  if (!packages) return undefined
  const library = packages.require('roaring-wasm') as Library
  await library.roaringLibraryInitialize()
  packages.dispose()
  return roaringOf(library)
}

function roaringOf({ RoaringBitmap32 }: Library): Roaring {
  return {
    sets() {
      const bitmaps = new Map<number, Bitmap>()
      return {
        addAll(owner, uids) {
          const bitmap = bitmaps.get(owner) ?? new RoaringBitmap32()
          bitmaps.set(owner, bitmap)
          for (let i = 0; i < uids.length; i++) bitmap.add(uids[i]!)
        },
        countAll(owner, uids) {
          const bitmap = bitmaps.get(owner)!
          let count = 0
          for (let i = 0; i < uids.length; i++) if (bitmap.has(uids[i]!)) count++
          return count
        },
        removeAll(owner, uids) {
          const bitmap = bitmaps.get(owner)!
          for (let i = 0; i < uids.length; i++) bitmap.remove(uids[i]!)
          bitmap.dispose()
          bitmaps.delete(owner)
        },
      }
    },
    inBoth(a, b) {
      const [first, other] = [new RoaringBitmap32(a), new RoaringBitmap32(b)]
      return () => first.andCardinality(other)
    },
  }
}
