// Files kept permanently: cache files made from pinned accounts' videos, each with a hard link in a folder
// per account, so that cache sweeps spare them and a removed account's files can be found. Serving threads
// look here first; only one thread writes here (pin-store.ts).

import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Logger } from '../../../base/obs/log.ts'
import { createDiskCache, type DiskCache } from '../cache/disk-cache.ts'
import type { BlobName } from '../media-path.ts'

export type PinnedKind = 'cut' | 'preview' | 'captions'
/** `kind`: with its version, see `fileKind`. */
export type PinnedFile = { cid: string; kind: string; bytes: number }

/** Status shown to the operator. */
export type PinStatus = {
  files: number
  bytes: number
  /** Pinned accounts' blobs that could not be fetched, or for which there was no room. */
  missing: number
  isFull: boolean
}

const FOLDER = 'media-pinned'
const STATUS = 'status.json'
/**
 * Raised when the same blob is made into something else, so that what an earlier Slipstream made is
 * made anew. Captions 2: read by the WebVTT algorithm.
 */
const VERSIONS: Record<PinnedKind, number> = { cut: 1, preview: 1, captions: 2 }
const KEY = /^(cut|preview|captions) (\d) (did:\S+) (b[a-z2-7]+)$/
const FILE = /^(b[a-z2-7]+)\.((?:cut|preview|captions)\d?)$/
/** Longest file name, in bytes. */
const MAX_NAME = 250

export function pinnedKey(kind: PinnedKind, { did, cid }: BlobName): string {
  return `${kind} ${VERSIONS[kind]} ${did} ${cid}`
}

/** What an earlier Slipstream made of the blob, from the latest on. */
export function olderKeys(kind: PinnedKind, { did, cid }: BlobName): string[] {
  const older = Array.from({ length: VERSIONS[kind] - 1 }, (_, i) => VERSIONS[kind] - 1 - i)
  return older.map((version) => `${kind} ${version} ${did} ${cid}`)
}

/** `PinnedFile.kind` of a file of the present version. */
export function fileKind(kind: PinnedKind): string {
  return kindOf(kind, VERSIONS[kind])
}

/** The first version has no number. */
function kindOf(kind: string, version: number): string {
  return version === 1 ? kind : `${kind}${version}`
}

export type PinnedFiles = ReturnType<typeof createPinnedFiles>

export function createPinnedFiles({
  dataDir,
  log,
}: {
  dataDir: string
  log: Pick<Logger, 'warn' | 'debug'>
}) {
  const root = join(dataDir, FOLDER)
  const files = createDiskCache({ folder: root, maxBytes: Number.POSITIVE_INFINITY, log, pathOf })
  const folderOf = (did: string) => join(root, encodeURIComponent(did))

  return {
    files,
    /**
     * @returns whether the file is pinned now
     * @throws if the disk is full
     */
    async adopt(key: string, path: string): Promise<boolean> {
      const location = join(root, pathOf(key) ?? '')
      if (location.length === root.length) return false
      await mkdir(dirname(location), { recursive: true })
      await link(path, location).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
      return true
    },
    async accounts(): Promise<string[]> {
      const found = await readdir(root, { withFileTypes: true }).catch(() => [])
      return found
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => decodeURIComponent(name))
    },
    async filesOf(did: string): Promise<PinnedFile[]> {
      const names = await readdir(folderOf(did)).catch(() => [])
      return Promise.all(
        names.map(async (name) => {
          const [, cid = name, kind = ''] = FILE.exec(name) ?? []
          const { size } = await stat(join(folderOf(did), name))
          return { cid, kind, bytes: size }
        }),
      )
    },
    drop: (did: string, { cid, kind }: PinnedFile) =>
      rm(join(folderOf(did), kind === '' ? cid : `${cid}.${kind}`), { force: true }),
    dropAccount: (did: string) => rm(folderOf(did), { recursive: true, force: true }),
    async tell(status: PinStatus): Promise<void> {
      await mkdir(root, { recursive: true })
      await writeFile(join(root, `.${STATUS}`), JSON.stringify(status))
      await rename(join(root, `.${STATUS}`), join(root, STATUS))
    },
  }
}

/** Status of the server that runs or ran here; undefined if nothing was ever pinned. */
export async function readPinStatus(dataDir: string): Promise<PinStatus | undefined> {
  const text = await readFile(join(dataDir, FOLDER, STATUS), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as PinStatus)
}

/** The cache for the routes: pinned files first, then the cache. */
export function withPins(cache: DiskCache, { files }: Pick<PinnedFiles, 'files'>): DiskCache {
  const isPinnable = (key: string) => pathOf(key) !== undefined
  return {
    ...cache,
    read: async (key) => (isPinnable(key) ? await files.read(key) : undefined) ?? cache.read(key),
    open: async (key) => (isPinnable(key) ? await files.open(key) : undefined) ?? cache.open(key),
  }
}

function pathOf(key: string): string | undefined {
  const [, kind = '', version, did, cid] = KEY.exec(key) ?? []
  const folder = encodeURIComponent(did ?? '')
  if (did === undefined || folder.length > MAX_NAME) return undefined
  return `${folder}/${cid}.${kindOf(kind, Number(version))}`
}
