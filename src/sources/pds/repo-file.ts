// The records of one collection of a repository's file, as pages like those of a listing, newest first. The file
// must be the account's own; a record that is missing in it, or is not what its CID says, counts as broken.

import { isValidRecordKey } from '@atproto/syntax'
import { revTimeMs } from '../../base/atproto/tid.ts'
import type { JsonObject } from '../../base/util/json-object.ts'
import { BadCarError, type CarBlocks, readCar } from './car.ts'
import { MAX_PAGE, type PdsRecord } from './pds-client.ts'
import { PdsError } from './pds-error.ts'
import { entriesOf, type TreeEntry } from './repo-tree.ts'
import type { ListedPage } from './walk.ts'

type Wanted = {
  did: string
  collection: string
  /** Only lower keys than this one. */
  below?: string | undefined
  /** When the request for the file began, by our clock. */
  fetchedAt: number
  /** The file may be old: its records are as of its commit. */
  isAsOfRev?: boolean | undefined
}

/** @throws PdsError `bad-answer` if the file can't be read */
export async function* collectionPages(
  car: Buffer,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncGenerator<ListedPage> {
  const { blocks, entries, rev } = await open(car, wanted)
  const fetchedAt = wanted.isAsOfRev ? timeOf(rev, wanted.fetchedAt) : wanted.fetchedAt
  for (let end = entries.length; end > 0; end -= MAX_PAGE) {
    if (signal.aborted) throw new PdsError('stopped', 'stopped while reading a repository')
    const part = entries.slice(Math.max(0, end - MAX_PAGE), end).reverse()
    yield { ...pageOf(blocks, part, wanted.collection), fetchedAt }
    await pause()
  }
}

async function open(car: Buffer, { did, collection, below }: Wanted) {
  try {
    const blocks = await readCar(car, pause)
    const commit = blocks.read(blocks.root)
    const tree = treeOf(commit, did)
    const entries = await entriesOf(blocks, { tree, collection }, pause)
    const isWanted = (rkey: string) =>
      isValidRecordKey(rkey) && (below === undefined || rkey < below)
    const wanted = entries.filter(({ rkey }) => isWanted(rkey))
    return { blocks, entries: wanted, rev: commit?.['rev'] }
  } catch (error) {
    if (!(error instanceof BadCarError)) throw error
    throw new PdsError('bad-answer', `the repository of ${did} is unreadable: ${error.message}`)
  }
}

function treeOf(commit: JsonObject | undefined, did: string): string {
  const link = (commit?.['data'] as JsonObject | undefined)?.['$link']
  if (commit?.['did'] !== did || typeof link !== 'string') {
    throw new BadCarError('no commit of this account')
  }
  return link
}

/** 0 if the rev tells no credible time: then whatever is known otherwise is newer. */
function timeOf(rev: unknown, now: number): number {
  const timeMs = typeof rev === 'string' ? revTimeMs(rev, now) : undefined
  return Math.min(now, timeMs ?? 0)
}

function pageOf(blocks: CarBlocks, entries: TreeEntry[], collection: string) {
  const records: PdsRecord[] = []
  const broken: string[] = []
  for (const { rkey, cid } of entries) {
    const record = blocks.read(cid)
    if (record?.['$type'] === collection) records.push({ rkey, cid, record })
    else broken.push(rkey)
  }
  const keys = entries.map(({ rkey }) => rkey)
  return { keys, records, broken, mismatched: 0, cursor: undefined }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
