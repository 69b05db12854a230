// A playlist source for videos from their own PDSs: the uploaded video (quality 0), cut by the media process
// (cut-videos.ts), and lower qualities numbered by their short side, as far as they exist yet
// (lower-qualities.ts).

import { hash } from 'node:crypto'
import { HEAD_BYTES } from '../cache/cache-entry.ts'
import { type CutFile, initPiece, type Piece, segmentPiece } from '../cut-file.ts'
import type { BlobName } from '../media-path.ts'
import { describeInit } from '../mp4/describe-init.ts'
import type { CutVideo, Hls } from './cut-videos.ts'
import type { LowerQualities } from './lower-qualities.ts'
import { noSuchPart, type SegmentList, timeOf, type Variant, type VideoSource } from './playlist.ts'
import type { Previews } from './previews.ts'
import { ratesOf } from './rates.ts'

const INIT = 'init.mp4'
/** A real head has two thousand bytes. */
const MAX_DESCRIBED_BYTES = 64 * 1024

type OwnSourceOptions = { hls: Hls; previews: Previews; lower?: LowerQualities | undefined }

export function createOwnSource({ hls, previews, lower }: OwnSourceOptions): VideoSource {
  async function opened(name: BlobName, variant: number): Promise<CutVideo> {
    const found = variant === 0 ? await hls(name) : await lower?.open(name, variant)
    if (!found) throw noSuchPart()
    return found
  }

  async function lowerVariants(name: BlobName, uploaded: Variant): Promise<Variant[]> {
    const found: Variant[] = []
    for (const number of lower?.fitFor(uploaded) ?? []) {
      const video = await lower!.open(name, number)
      if (video) found.push({ ...(await using(video, describe)), number })
      else lower!.request(name, number)
    }
    return found
  }

  return {
    isLasting: true,
    container: 'mp4',
    thumbnail: previews,
    firstTimestamp: async () => 0,
    async variants(name) {
      const uploaded = await using(await hls(name), describe)
      return [uploaded, ...(await lowerVariants(name, uploaded))]
    },
    list: async (name, variant) => using(await opened(name, variant), ({ cut }) => listOf(cut)),
    async piece(name, variant, file) {
      const { entry, cut } = await opened(name, variant)
      const piece = pieceOf(cut, file)
      if (!piece) {
        await entry.file.close()
        throw noSuchPart()
      }
      const digest = hash('sha256', `${entry.digest} ${file}`)
      const { at, length } = piece
      const part = { file: entry.file, at: HEAD_BYTES + at, length, contentType: 'video/mp4' }
      return { ...part, digest, segment: timeOf(listOf(cut), file) }
    },
  }
}

async function using<T>(video: CutVideo, use: (video: CutVideo) => T | Promise<T>): Promise<T> {
  try {
    return await use(video)
  } finally {
    await video.entry.file.close()
  }
}

function listOf({ index }: CutFile): SegmentList {
  return {
    init: INIT,
    segments: index.segments.map(({ seconds }, i) => ({ seconds, file: `${i}.m4s` })),
  }
}

function pieceOf(cut: CutFile, file: string): Piece | undefined {
  if (file === INIT) return initPiece(cut)
  return segmentPiece(cut, Number(/^(\d{1,6})\.m4s$/.exec(file)?.[1] ?? Number.NaN))
}

async function describe({ entry, cut }: CutVideo): Promise<Variant> {
  const { at, length } = initPiece(cut)
  const init = Buffer.alloc(Math.min(length, MAX_DESCRIBED_BYTES))
  await entry.file.read(init, 0, init.length, HEAD_BYTES + at)
  return { ...ratesOf(cut.index.segments), ...describeInit(init) }
}
