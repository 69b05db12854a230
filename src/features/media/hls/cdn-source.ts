// A playlist source for videos of a video service (Bluesky's, or the operator's own): its playlists are
// cached for some minutes and rewritten. Players are redirected to the service for pieces, or get them
// through our server, which caches them on disk, so that the service never learns who is watching.

import { HEAD_BYTES } from '../cache/cache-entry.ts'
import type { DiskCache } from '../cache/disk-cache.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import type { MediaProcess } from '../process/media-process.ts'
import { createSharedWork } from '../shared-work.ts'
import { createCachedPlaylists } from './cached-playlists.ts'
import { firstTimestampOf } from './caption-timing.ts'
import { createVideoService, type VideoServiceOptions } from './fetch-playlist.ts'
import {
  noSuchPart,
  type SegmentLine,
  type SegmentList,
  timeOf,
  type VideoSource,
} from './playlist.ts'
import type { ReadPlaylist, SegmentEntry, VariantEntry } from './read-playlist.ts'
import { createServiceFiles } from './service-files.ts'

type CdnSourceOptions = Omit<VideoServiceOptions, 'cache'> & {
  cache: DiskCache
  process: Pick<MediaProcess, 'run'>
  /** Whether pieces pass through our server. */
  isProxy: boolean
}

/** The content of a variant's playlist, and its URLs by our own file names. */
type Files = { list: SegmentList; urls: Map<string, string> }

const INIT = 'init.mp4'
/** For services with a single playlist per video. */
const UNKNOWN_BANDWIDTH = 3_000_000

export function createCdnSource(options: CdnSourceOptions): VideoSource {
  const { base, isProxy } = options
  const service = createVideoService(options)
  const files = createServiceFiles({ ...options, service })
  const playlists = createReadings(options, service.playlist)
  const addressOf = ({ did, cid }: BlobName, file = 'playlist.m3u8') =>
    `${base}/${encodeURIComponent(did)}/${cid}/${file}`
  const variants = (name: BlobName) => playlists.variants(addressOf(name))

  async function filesOf(name: BlobName, variant: number): Promise<Files> {
    const entry = (await variants(name))[variant]
    if (!entry) throw noSuchPart()
    return playlists.files(entry.url)
  }

  async function find(name: BlobName, variant: number, file: string) {
    const { list, urls } = await filesOf(name, variant)
    const url = urls.get(file)
    if (!url) throw noSuchPart()
    return { url, segment: timeOf(list, file) }
  }

  return {
    isLasting: false,
    variants,
    list: async (name, variant) => (await filesOf(name, variant)).list,
    async piece(name, variant, file) {
      const { url: location, segment } = await find(name, variant, file)
      if (!isProxy) return { location, segment }
      return { ...(await files.piece(location, name)), at: HEAD_BYTES, segment }
    },
    async thumbnail(name) {
      const location = addressOf(name, 'thumbnail.jpg')
      return isProxy ? files.thumbnail(location, name) : { location }
    },
    async firstTimestamp(name) {
      const { list } = await filesOf(name, 0)
      if (list.init !== undefined) return 0
      const { url } = await find(name, 0, list.segments[0]!.file)
      const { file } = await files.piece(url, name)
      return firstTimestampOf(file, HEAD_BYTES).finally(() => file.close())
    },
    ...(!isProxy && { elsewhere: (name) => addressOf(name) }),
  }
}

/** Playlists' contents by URL. */
function createReadings(
  { now }: Pick<CdnSourceOptions, 'now'>,
  ask: (url: string) => Promise<{ read: ReadPlaylist; weight: number }>,
) {
  const cache = createCachedPlaylists<ReadPlaylist>(now)
  const share = createSharedWork<ReadPlaylist>(now)
  const named = new WeakMap<ReadPlaylist, Files>()

  const fetched = (url: string) =>
    share(url, async () => {
      const { read, weight } = await ask(url)
      cache.set(url, read, weight)
      return read
    })
  const read = async (url: string) => cache.get(url) ?? fetched(url)

  return {
    async variants(url: string): Promise<VariantEntry[]> {
      const playlist = await read(url)
      if (playlist.kind === 'master') return playlist.variants
      return [{ bandwidth: UNKNOWN_BANDWIDTH, url }]
    },
    async files(url: string): Promise<Files> {
      const playlist = await read(url)
      if (playlist.kind === 'master') {
        throw new MediaError('upstream', 'UnfitPlaylist', 'a variant is a master playlist')
      }
      const files = named.get(playlist) ?? filesOfMedia(playlist)
      named.set(playlist, files)
      return files
    },
  }
}

function filesOfMedia({ init, segments }: Extract<ReadPlaylist, { kind: 'media' }>): Files {
  const urls = new Map<string, string>()
  const isFragmented = init !== undefined
  if (isFragmented) urls.set(INIT, init)
  const nameOf = ({ seconds, url, isDiscontinuous }: SegmentEntry, i: number): SegmentLine => {
    const file = `${i}.${isFragmented ? 'm4s' : 'ts'}`
    urls.set(file, url)
    return { seconds, file, ...(isDiscontinuous && { isDiscontinuous }) }
  }
  const lines = segments.map(nameOf)
  return { list: { init: isFragmented ? INIT : undefined, segments: lines }, urls }
}
