// Fetches playlists and pieces from the operator's video service, through the guarded fetch. Every URL must
// be on the service's own hosts, that is, the same registrable domain and protocol: those in playlists, the
// targets of redirects, and those that players are redirected to.

import { open, rm } from 'node:fs/promises'
import { createLimiter } from '../../../base/util/limiter.ts'
import { createCircuitBreaker } from '../../../sources/circuit-breaker.ts'
import type {
  FetchedResponse,
  FetchOptions,
  GuardedFetch,
} from '../../../sources/identity/guarded-fetch.ts'
import { registrableDomain } from '../../../sources/identity/registrable-domain.ts'
import { askerClaim, isGuest } from '../blobs/blob-slots.ts'
import { createFairSlots } from '../blobs/fair-slots.ts'
import { type BlobSource, MEDIA_PACE } from '../blobs/fetch-blob.ts'
import { isSilence, noSpace, toMediaError } from '../blobs/fetch-failure.ts'
import { pictureFormat } from '../blobs/sniff.ts'
import type { DiskCache } from '../cache/disk-cache.ts'
import { createEntryWriter, writeHead } from '../cache/file-writer.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import {
  MAX_PLAYLIST_BYTES,
  type ReadPlaylist,
  readPlaylist,
  UnfitPlaylist,
} from './read-playlist.ts'

export type PieceKind = 'piece' | 'picture'

type Limits = FetchOptions & { maxBytes: number }
/** A piece of the video `of`. */
type CachedPiece = { key: string; kind: PieceKind; of: BlobName }

export type VideoService = {
  playlist(url: string): Promise<{ read: ReadPlaylist; weight: number }>
  /** Stores the piece in the cache under that key. */
  addPiece(url: string, as: CachedPiece): Promise<void>
}

export type VideoServiceOptions = {
  /** Base URL of the service, above `{did}/{cid}/playlist.m3u8`. */
  base: string
  fetch: GuardedFetch
  cache: Pick<DiskCache, 'reserve' | 'add'>
  now: () => number
  /** Who may have how much fetched. */
  blobs: Pick<BlobSource, 'isFollowed' | 'strangerBytes'>
}

const PLAYLIST_LIMITS = { maxBytes: MAX_PLAYLIST_BYTES, firstByteMs: 5000, timeoutMs: 10_000 }
/** Ten seconds at 25 Mbit/s. */
const PIECE_LIMITS = {
  maxBytes: 32 << 20,
  firstByteMs: 5000,
  timeoutMs: 30_000,
  leastPace: MEDIA_PACE,
}
const MOST_PIECES = 32
const MOST_WAITING = 500
const WHO = 'the video service'
const TS_PACKET = 188

export function createVideoService(options: VideoServiceOptions): VideoService {
  const { base, fetch, cache, now, blobs } = options
  const check = createCheckAddress(base)
  const breaker = createCircuitBreaker(now)
  const full = () => new MediaError('busy', 'Busy', 'too many videos at once')
  const playlists = createLimiter({ maxRunning: 32, maxWaiting: MOST_WAITING, full })
  const pieces = createFairSlots({ waiting: MOST_WAITING / 2, full })

  async function ask(url: string, limits: Limits): Promise<FetchedResponse> {
    if (!breaker.mayAsk())
      throw new MediaError('late', 'UpstreamTimeout', `${WHO} is not answering`)
    const response = await fetch(url, limits).catch((error: unknown) => {
      if (isSilence(error)) breaker.failed()
      else breaker.succeeded()
      throw toMediaError(error, WHO, limits.maxBytes)
    })
    breaker.succeeded()
    if (response.status !== 200) throw refusal(response.status)
    check(response.url, url)
    return response
  }

  async function playlist(url: string) {
    const { body, url: from } = await ask(url, PLAYLIST_LIMITS)
    return { read: readPlaylist(body, (uri) => check(uri, from)), weight: body.length }
  }

  async function inTurn(url: string, as: CachedPiece): Promise<void> {
    const { did, asker } = as.of
    const who = { did, asker, isFollowed: blobs.isFollowed(did) }
    const budget = isGuest(who) ? blobs.strangerBytes : undefined
    budget?.check(asker!)
    const leave = await pieces.take(askerClaim(MOST_PIECES, who)).entered
    const onBytes = (bytes: number) => budget?.spend(asker!, bytes)
    await addPiece({ cache, ask, onBytes }, url, as).finally(leave)
  }

  return {
    playlist: (url) => playlists.run(() => playlist(url).catch(unfit)),
    addPiece: (url, as) => inTurn(url, as).catch(unfit),
  }
}

type Piece = Pick<VideoServiceOptions, 'cache'> & {
  ask: (url: string, limits: Limits) => Promise<FetchedResponse>
  /** Called with what arrived, also of a failed request. */
  onBytes: (bytes: number) => void
}

async function addPiece(
  { cache, ask, onBytes }: Piece,
  url: string,
  { key, kind }: CachedPiece,
): Promise<void> {
  const path = await cache.reserve().catch((error: unknown) => {
    throw noSpace(error)
  })
  try {
    const file = await open(path, 'wx', 0o600)
    const writer = createEntryWriter(file)
    await ask(url, { ...PIECE_LIMITS, sink: writer.write })
      .catch((error: unknown) => {
        throw writer.failure() ? noSpace(writer.failure()) : error
      })
      .finally(() => {
        onBytes(writer.written())
        return file.close()
      })
    const written = writer.end()
    await writeHead(path, { ...written, contentType: typeOf(kind, written) })
    await cache.add(key, path)
  } finally {
    await rm(path, { force: true })
  }
}

function unfit(error: unknown): never {
  if (!(error instanceof UnfitPlaylist)) throw error
  const message = `${WHO} sent a playlist that cannot be used: ${error.message}`
  throw new MediaError('upstream', 'UnfitPlaylist', message, { cause: error })
}

/**
 * @returns the absolute URL
 * @throws UnfitPlaylist if it is not on the service's hosts.
 */
function createCheckAddress(base: string): (uri: string, from: string) => string {
  const ours = new URL(base)
  const domain = registrableDomain(ours.hostname)
  return (uri, from) => {
    if (!URL.canParse(uri, from)) throw new UnfitPlaylist('an address is invalid')
    const url = new URL(uri, from)
    const isTheirs =
      url.protocol === ours.protocol &&
      url.username === '' &&
      url.password === '' &&
      url.port === ours.port &&
      registrableDomain(url.hostname) === domain
    if (!isTheirs) throw new UnfitPlaylist(`it names ${url.host}, another host`)
    return url.href
  }
}

/**
 * MPEG-TS, fragmented MP4 or a picture.
 * @throws MediaError for anything else.
 */
function typeOf(
  kind: PieceKind,
  { beginning, length }: { beginning: Buffer; length: number },
): string {
  const picture = kind === 'picture' ? pictureFormat(beginning) : undefined
  if (picture) return `image/${picture}`
  const type = beginning.toString('latin1', 4, 8)
  if (['ftyp', 'styp', 'moof', 'sidx', 'moov', 'emsg', 'prft'].includes(type)) return 'video/mp4'
  if (beginning[0] === 0x47 && length % TS_PACKET === 0) return 'video/mp2t'
  throw new MediaError('upstream', 'NotAVideo', `${WHO} did not send a video segment`)
}

function refusal(status: number): MediaError {
  if (status >= 400 && status < 500 && status !== 429) {
    return new MediaError('missing', 'BlobNotFound', `${WHO} does not have it`)
  }
  return new MediaError('upstream', 'UpstreamError', `${WHO} answered with ${status}`)
}
