// Fetches a blob from the PDS in its owner's DID document, through the guarded fetch, into a file, and checks
// that its bytes match the CID. Statuses are the reference's: a blob that the PDS refuses is missing, its
// failure is upstream. Silent servers are skipped for a while (blob-circuits.ts). Lexicon:
// com.atproto.sync.getBlob.

import { open, rm } from 'node:fs/promises'
import { blobCid } from '../../../base/atproto/keys.ts'
import { LOOKUP_MS } from '../../../http/overload/address-time.ts'
import type { FetchedResponse, GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import type { LeastPace } from '../../../sources/identity/patience.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'
import type { Quotas } from '../../../sources/quota.ts'
import type { DiskCache } from '../cache/disk-cache.ts'
import { createEntryWriter } from '../cache/file-writer.ts'
import { MediaError } from '../media-error.ts'
import type { BlobName } from '../media-path.ts'
import { chargeFetch, onItsTime } from '../visitor.ts'
import { type BlobCircuit, createBlobCircuits } from './blob-circuits.ts'
import { type BlobAsker, createBlobSlots, isGuest, type SlotLimits } from './blob-slots.ts'
import { isSilence, noSpace, toMediaError } from './fetch-failure.ts'
import type { StrangerBytes } from './stranger-bytes.ts'
import type { WaitingBlobs } from './waiting-blobs.ts'

export type BlobSource = {
  fetch: GuardedFetch
  resolver: Pick<Resolver, 'resolve'>
  /** Whether the account is a member, or a member follows it. */
  isFollowed: (did: string) => boolean
  /** Unlimited if unset. */
  strangerBytes?: StrangerBytes | undefined
  /** Shares in what PDSs allow us, for the same; unlimited if unset. */
  quotas?: Quotas | undefined
  waiting: WaitingBlobs
}

export type BlobLimits = {
  maxBytes: number
  /** Milliseconds from connecting to the first byte of the answer. */
  firstByteMs: number
  /** Milliseconds from the first look-up of the server's name to the last byte. */
  timeoutMs: number
  /** Of the body. */
  leastPace?: LeastPace
  slots: SlotLimits
}

export type BlobFile = {
  /** Path of a file that starts with room for a cache entry's head. */
  path: string
  length: number
  /** SHA-256 in hexadecimal. */
  digest: string
  /** Host that served it. */
  host: string
  /** First bytes of the blob. */
  beginning: Buffer
  /** Removes the file if it is still there, and releases the server's slot. */
  drop(): Promise<void>
}

/** @throws MediaError */
type FetchBlob = (name: BlobName) => Promise<BlobFile>

type FetchBlobOptions = {
  source: BlobSource
  cache: Pick<DiskCache, 'reserve'>
  limits: BlobLimits
  now?: (() => number) | undefined
}

type Received = Pick<BlobFile, 'path' | 'length' | 'digest' | 'beginning'>

/** For pictures and videos: a tenth of the slowest lines that people watch videos over. */
export const MEDIA_PACE: LeastPace = { bytesPerSecond: 32_000, patienceMs: 3_000 }

export function createFetchBlob(options: FetchBlobOptions): FetchBlob {
  const { source, cache, limits, now = Date.now } = options
  const slots = createBlobSlots(limits.slots)
  const circuitOf = createBlobCircuits(now)

  async function enter(pds: string, name: BlobName, who: BlobAsker): Promise<() => void> {
    const ticket = slots.take(pds, who)
    const forget = source.waiting.add(name, (asker) =>
      ticket.join(slots.claimOf(pds, { ...who, asker })),
    )
    return ticket.entered.finally(forget)
  }

  return async function fetchBlob(name) {
    const who = askerOf(source, name)
    if (isGuest(who)) source.strangerBytes?.check(name.asker!)
    const pds = await pdsOf(source.resolver, name, who)
    const { host } = new URL(pds)
    if (isGuest(who)) takeShare(source, host, name.asker!)
    chargeFetch(name.time)
    const leave = await enter(pds, name, who)
    try {
      const path = await reserve(cache)
      const circuit = circuitOf(host, name.did)
      if (!circuit.mayAsk()) throw silent()
      const received = await receive({ source, limits, pds, circuit, who }, name, path)
      if (who.isFollowed) slots.served(pds, name.did)
      const drop = async () => {
        leave()
        await rm(received.path, { force: true })
      }
      return { ...received, host, drop }
    } catch (error) {
      leave()
      throw error
    }
  }
}

function askerOf({ isFollowed }: BlobSource, { did, asker }: BlobName): BlobAsker {
  return { did, asker, isFollowed: isFollowed(did) }
}

/** @throws MediaError if the address's share of what the host allows is used up */
function takeShare({ quotas }: BlobSource, host: string, asker: string): void {
  if (quotas?.of(host).take({ rank: 'visitor', key: asker }) ?? true) return
  throw new MediaError('limited', 'RateLimitExceeded', `too many requests to ${host}`)
}

async function reserve(cache: FetchBlobOptions['cache']): Promise<string> {
  return cache.reserve().catch((error: unknown) => {
    throw noSpace(error)
  })
}

type BlobRequest = {
  source: BlobSource
  limits: BlobLimits
  pds: string
  circuit: BlobCircuit
  who: BlobAsker
}

/** The file exists only if all checks pass. */
async function receive(requested: BlobRequest, name: BlobName, path: string): Promise<Received> {
  try {
    const received = await writeAnswer(requested, name, path)
    if (blobCid(Buffer.from(received.digest, 'hex')) === name.cid) return received
    throw new MediaError('missing', 'BlobNotFound', 'the PDS sent bytes that do not match the CID')
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

async function writeAnswer(
  { source, limits, pds, circuit, who }: BlobRequest,
  { did, cid, time }: BlobName,
  path: string,
): Promise<Received> {
  const url = `${pds}/xrpc/com.atproto.sync.getBlob?${new URLSearchParams({ did, cid })}`
  const file = await open(path, 'wx', 0o600)
  const writer = createEntryWriter(file)
  try {
    const response = await source
      .fetch(url, { ...limits, sink: (piece) => onItsTime(time, () => writer.write(piece)) })
      .catch((error: unknown) => {
        const ours = writer.failure()
        if (!ours && isSilence(error)) circuit.wasSilent()
        else circuit.answered()
        throw ours ? noSpace(ours) : toMediaError(error, 'the PDS', limits.maxBytes)
      })
    circuit.answered()
    source.quotas?.of(new URL(pds).host).note(response.headers)
    if (response.status !== 200) throw refusal(response)
    return { path, ...writer.end() }
  } finally {
    if (isGuest(who)) source.strangerBytes?.spend(who.asker!, writer.written())
    await file.close()
  }
}

async function pdsOf(
  resolver: BlobSource['resolver'],
  { did, time }: BlobName,
  who: BlobAsker,
): Promise<string> {
  const beforeLookup = () => time?.addElsewhere(LOOKUP_MS)
  const asker = isGuest(who) ? { beforeLookup } : undefined
  const identity = await resolver.resolve(did, { asker }).catch((error: unknown) => {
    throw new MediaError('upstream', 'UpstreamError', 'the DID document is unavailable', {
      cause: error,
    })
  })
  if (identity?.pds && URL.canParse(identity.pds)) return identity.pds
  throw new MediaError('missing', 'OriginNotFound', 'the account has no PDS')
}

function refusal({ status, url }: FetchedResponse): MediaError {
  const { origin } = new URL(url)
  if (status === 429) {
    return new MediaError('upstream', 'UpstreamError', `${origin} limits our requests`)
  }
  if (status >= 400 && status < 500) {
    return new MediaError('missing', 'BlobNotFound', `${origin} does not have the blob`)
  }
  return new MediaError('upstream', 'UpstreamError', `${origin} answered with ${status}`)
}

function silent(): MediaError {
  return new MediaError('late', 'UpstreamTimeout', 'the PDS has not answered recently')
}
