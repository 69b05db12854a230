// The operator's trailer, appended to a video's segments. It follows videos with H.264, and AAC or no sound,
// so that players continue with the same decoders (RFC 8216 §4.3.2.3). The media process makes each of its
// four forms once and caches it with the rest; without the trailer, videos play as usual.

import { hash } from 'node:crypto'
import type { Logger } from '../../../base/obs/log.ts'
import { HEAD_BYTES } from '../cache/cache-entry.ts'
import type { DiskCache } from '../cache/disk-cache.ts'
import { type CutFile, initPiece, segmentPiece } from '../cut-file.ts'
import { type CutVideo, openOrMake } from '../hls/cut-videos.ts'
import { noSuchPart, type SegmentList } from '../hls/playlist.ts'
import { type Rates, ratesOf } from '../hls/rates.ts'
import type { TrailerForm } from '../process/jobs.ts'
import { makeAndStore } from '../process/make-and-store.ts'
import type { MediaProcess } from '../process/media-process.ts'
import { createSharedWork } from '../shared-work.ts'
import type { FilePart } from '../video-response.ts'
import type { TrailerFile } from './check-trailer.ts'

export type Trailer = {
  /**
   * Segments to append to a video's, named for playlists in its folders; undefined if the trailer
   * does not match or is unavailable.
   */
  behind(list: SegmentList, codecs: string | undefined): Promise<SegmentList | undefined>
  /**
   * Rates of the trailer after that quality, the maximum if the container is unknown; undefined as
   * above.
   */
  rates(codecs: string | undefined, container: 'mp4' | undefined): Promise<Rates | undefined>
  /**
   * A file of the trailer, which the caller closes.
   * @throws MediaError
   */
  piece(path: readonly string[]): Promise<FilePart>
}

type TrailerOptions = {
  file: TrailerFile
  cache: DiskCache
  process: Pick<MediaProcess, 'run'>
  log: Pick<Logger, 'warn'>
  now: () => number
}

const INIT = 'init.mp4'
const FORMS: Readonly<Record<string, TrailerForm>> = {
  'mp4-sound': { container: 'mp4', hasSound: true },
  'mp4-silent': { container: 'mp4', hasSound: false },
  'ts-sound': { container: 'ts', hasSound: true },
  'ts-silent': { container: 'ts', hasSound: false },
}

export function createTrailer({ file, cache, process, log, now }: TrailerOptions): Trailer {
  const share = createSharedWork<void>(now)
  const indexes = new Map<string, CutFile['index']>()
  let reported: unknown

  function prepare(name: string, key: string): Promise<void> {
    const job = { kind: 'trailer', from: file.path, digest: file.digest } as const
    const jobTo = (to: string) => ({ ...job, to, form: FORMS[name]! })
    return makeAndStore({ cache, process }, { key, jobTo, payers: ['the operator'] })
  }

  function opened(name: string): Promise<CutVideo> {
    const key = `trailer 2 ${file.digest} ${name}`
    const make = () => share(key, () => prepare(name, key))
    return openOrMake(cache, { key, make, what: 'the trailer' })
  }

  async function indexOf(name: string): Promise<CutFile['index']> {
    const known = indexes.get(name)
    if (known) return known
    const { entry, cut } = await opened(name)
    await entry.file.close()
    indexes.set(name, cut.index)
    return cut.index
  }

  /** Failures are cached for a while, and logged once. */
  async function indexIfAny(name: string): Promise<CutFile['index'] | undefined> {
    try {
      return await indexOf(name)
    } catch (error) {
      if (error !== reported) log.warn({ err: error }, 'the trailer could not be prepared')
      reported = error
      return undefined
    }
  }

  return {
    async behind(list, codecs) {
      const sound = soundFor(codecs)
      if (!sound) return undefined
      const name = `${list.init === undefined ? 'ts' : 'mp4'}-${sound}`
      const index = await indexIfAny(name)
      return index && tailOf(index, `../../../trailer/${file.digest}/${name}`)
    },

    async rates(codecs, container) {
      const sound = soundFor(codecs)
      if (!sound) return undefined
      const containers = container ? [container] : ['mp4', 'ts']
      return heaviest(
        await Promise.all(containers.map((container) => indexIfAny(`${container}-${sound}`))),
      )
    },

    async piece([digest, name = '', wanted = '', ...rest]) {
      if (digest !== file.digest || !Object.hasOwn(FORMS, name) || rest.length > 0) {
        throw noSuchPart()
      }
      const { entry, cut } = await opened(name)
      const piece = pieceOf(cut, wanted)
      if (!piece) {
        await entry.file.close()
        throw noSuchPart()
      }
      const contentType = FORMS[name]!.container === 'ts' ? 'video/mp2t' : 'video/mp4'
      const part = { file: entry.file, at: HEAD_BYTES + piece.at, length: piece.length }
      return { ...part, contentType, digest: hash('sha256', `${entry.digest} ${wanted}`) }
    },
  }
}

/** By the codecs of the video's quality; undefined if none are named. */
function soundFor(codecs = ''): 'sound' | 'silent' | undefined {
  const names = codecs.split(',')
  const pictures = names.filter((name) => /^avc[13]\./.test(name.trim()))
  const sound = names.filter((name) => /^mp4a\.40\.(2|5)$/.test(name.trim()))
  if (pictures.length !== 1 || sound.length > 1) return undefined
  if (pictures.length + sound.length !== names.length) return undefined
  return sound.length === 1 ? 'sound' : 'silent'
}

function heaviest(indexes: readonly (CutFile['index'] | undefined)[]): Rates | undefined {
  const rates = indexes.flatMap((index) => (index ? [ratesOf(index.segments)] : []))
  return rates.sort((a, b) => b.bandwidth - a.bandwidth)[0]
}

function tailOf({ init, segments }: CutFile['index'], folder: string): SegmentList {
  const ending = init > 0 ? 'm4s' : 'ts'
  return {
    init: init > 0 ? `${folder}/${INIT}` : undefined,
    segments: segments.map(({ seconds }, i) => ({ seconds, file: `${folder}/${i}.${ending}` })),
  }
}

function pieceOf(cut: CutFile, file: string) {
  if (file === INIT) return cut.index.init > 0 ? initPiece(cut) : undefined
  const [, number] = /^(\d{1,3})\.(?:m4s|ts)$/.exec(file) ?? []
  return segmentPiece(cut, Number(number ?? Number.NaN))
}
