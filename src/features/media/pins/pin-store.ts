// Keeps the videos of pinned accounts permanently. In rounds, fetches and cuts what their posts show while
// the PDS has it, and drops what they no longer show. Works on one at a time, with a limit per round and a
// limit on disk; once that is reached, nothing new is pinned, and existing pins stay.

import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { HEAD_BYTES } from '../cache/cache-entry.ts'
import type { DiskCache } from '../cache/disk-cache.ts'
import type { Captions } from '../hls/captions.ts'
import type { VideoSource } from '../hls/playlist.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import {
  fileKind,
  type PinnedFile,
  type PinnedFiles,
  type PinnedKind,
  type PinStatus,
  pinnedKey,
} from './pinned-files.ts'

/** `gone`: pinned files are removed. `away`: they stay, and nothing is fetched. */
export type PinnedAccount = { did: string; state: 'here' | 'away' | 'gone' }
/** Blobs named by an account's posts, latest first. */
type PresentedBlob = { cid: string; kind: 'video' | 'captions' }

export type PinRules = {
  accounts: () => Iterable<PinnedAccount>
  /** Without blobs that the operator hid. */
  presentedBy: (did: string) => PresentedBlob[]
  maxBytes: number
}

export type PinStore = {
  round(): Promise<PinStatus>
  /** Status of the latest round. */
  status(): PinStatus | undefined
  close(): void
}

type PinStoreOptions = PinRules & {
  pinned: PinnedFiles
  /** The cache without pinned files. */
  cache: DiskCache
  source: Pick<VideoSource, 'variants' | 'thumbnail'>
  captions: Captions
  log: Pick<Logger, 'warn' | 'debug'>
  /** 0: run only when `round` is called. */
  everyMs?: number
}

const EVERY_MS = 5 * MINUTE_MS
const MOST_A_ROUND = 100
/** Consecutive failures after which an account is left to the next round. */
const MOST_FAILURES = 3
const KINDS: Record<PresentedBlob['kind'], PinnedKind[]> = {
  video: ['cut', 'preview'],
  captions: ['captions'],
}

type Round = PinStatus & { requested: number }

export function createPinStore(options: PinStoreOptions): PinStore {
  const { pinned, log, everyMs = EVERY_MS } = options
  let isClosed = false
  let running: Promise<PinStatus> | undefined
  let latest: PinStatus | undefined
  const timer = everyMs > 0 ? setInterval(() => void begin().catch(warn), everyMs) : undefined
  timer?.unref()
  const warn = (error: unknown) => log.warn({ err: error }, 'pinned media could not be kept')

  async function work(): Promise<PinStatus> {
    const round: Round = { files: 0, bytes: 0, missing: 0, isFull: false, requested: 0 }
    const accounts = shuffled([...options.accounts()])
    await dropOthers(pinned, accounts)
    const pinnedFiles = await Promise.all(accounts.map(({ did }) => pinned.filesOf(did)))
    for (const { bytes } of pinnedFiles.flat()) round.bytes += bytes
    round.files = pinnedFiles.flat().length
    for (const [i, account] of accounts.entries()) {
      if (isClosed) break
      await pinAccount(options, { account, pinnedFiles: pinnedFiles[i]!, round })
    }
    const { requested: _, ...status } = round
    latest = status
    if (!isClosed) await pinned.tell(status)
    return status
  }

  function begin(): Promise<PinStatus> {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    round: begin,
    status: () => latest,
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}

async function dropOthers(pinned: PinnedFiles, accounts: readonly PinnedAccount[]): Promise<void> {
  const staying = new Set(accounts.filter(({ state }) => state !== 'gone').map(({ did }) => did))
  for (const did of await pinned.accounts()) {
    if (!staying.has(did)) await pinned.dropAccount(did)
  }
}

type Pinning = { account: PinnedAccount; pinnedFiles: readonly PinnedFile[]; round: Round }

async function pinAccount(options: PinStoreOptions, pinning: Pinning): Promise<void> {
  const { account, pinnedFiles, round } = pinning
  if (account.state !== 'here') return
  const visible = eachOnce(options.presentedBy(account.did))
  const has = new Set(pinnedFiles.map(nameOf))
  const stays = new Set(visible.flatMap((blob) => staying(blob, has)))
  for (const file of pinnedFiles) {
    if (!stays.has(nameOf(file))) await letGo(options, { did: account.did, file, round })
  }
  const missing = visible.filter(({ cid, kind }) => !has.has(`${cid}.${fileKind(KINDS[kind][0]!)}`))
  await fetchMissing(options, { did: account.did, missing, round })
}

const nameOf = ({ cid, kind }: Pick<PinnedFile, 'cid' | 'kind'>) => `${cid}.${kind}`

/** The files of a blob; what an earlier Slipstream made stays until there is something newer. */
function staying({ cid, kind }: PresentedBlob, has: ReadonlySet<string>): string[] {
  return KINDS[kind].flatMap((pinnedKind) => {
    const name = nameOf({ cid, kind: fileKind(pinnedKind) })
    return has.has(name) ? [name] : [name, nameOf({ cid, kind: pinnedKind })]
  })
}

/** Drops duplicates, since several posts may show the same blob. */
function eachOnce(blobs: readonly PresentedBlob[]): PresentedBlob[] {
  return [...new Map(blobs.map((blob) => [`${blob.cid} ${blob.kind}`, blob])).values()]
}

async function letGo(
  { pinned }: PinStoreOptions,
  { did, file, round }: { did: string; file: PinnedFile; round: Round },
): Promise<void> {
  await pinned.drop(did, file)
  round.bytes -= file.bytes
  round.files -= 1
}

async function fetchMissing(
  options: PinStoreOptions,
  { did, missing, round }: { did: string; missing: readonly PresentedBlob[]; round: Round },
): Promise<void> {
  let failures = 0
  for (const blob of missing) {
    const mayAsk = !round.isFull && round.requested < MOST_A_ROUND && failures < MOST_FAILURES
    if (mayAsk && (await pin(options, { did, blob, round }))) failures = 0
    else {
      round.missing += 1
      failures += Number(mayAsk)
    }
  }
}

/** @returns whether the blob's files are pinned now. */
async function pin(
  { source, captions, cache, pinned, maxBytes, log }: PinStoreOptions,
  { did, blob, round }: { did: string; blob: PresentedBlob; round: Round },
): Promise<boolean> {
  const name: BlobName = { did, cid: blob.cid }
  round.requested += 1
  try {
    if (blob.kind === 'captions') await captions(name)
    else {
      // In this order, one fetch serves both.
      await source.thumbnail(name)
      await source.variants(name)
    }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    log.debug({ did, cid: blob.cid, message: error.message }, 'a blob could not be pinned')
    return false
  }
  for (const kind of KINDS[blob.kind]) {
    const entry = await cache.open(pinnedKey(kind, name))
    if (!entry) continue
    await entry.file.close()
    const bytes = HEAD_BYTES + entry.length
    round.isFull = round.bytes + bytes > maxBytes
    if (round.isFull || !(await pinned.adopt(pinnedKey(kind, name), entry.path))) return false
    round.bytes += bytes
    round.files += 1
  }
  return true
}

/** Random order, so that accounts on a failing server do not always go first. */
function shuffled<T>(all: T[]): T[] {
  return all
    .map((item) => ({ one: item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one: item }) => item)
}
