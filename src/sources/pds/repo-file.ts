// The records of one collection of a repository's file, as pages like those of a listing, newest first. The file
// must be the account's own; a record that is missing in it, or is not what its CID says, counts as broken.

import { isValidRecordKey } from '@atproto/syntax'
import type { JsonObject } from '../../base/util/json-object.ts'
import { BadCarError, type CarBlocks, readCar } from './car.ts'
import { MAX_PAGE, type PdsRecord } from './pds-client.ts'
import { PdsError } from './pds-error.ts'
import { entriesOf, type TreeEntry } from './repo-tree.ts'
import type { ListedPage } from './walk.ts'

type Wanted = {
  did: string
  collection: string
  /** When the request for the file began, by our clock. */
  fetchedAt: number
}

/** @throws PdsError `bad-answer` if the file can't be read */
export async function* collectionPages(
  car: Buffer,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncGenerator<ListedPage> {
  const { fetchedAt } = wanted
  const { blocks, entries } = await open(car, wanted)
  for (let end = entries.length; end > 0; end -= MAX_PAGE) {
    if (signal.aborted) throw new PdsError('stopped', 'stopped while reading a repository')
    const part = entries.slice(Math.max(0, end - MAX_PAGE), end).reverse()
    yield { ...pageOf(blocks, part, wanted.collection), fetchedAt }
    await pause()
  }
}

async function open(car: Buffer, { did, collection }: Wanted) {
  try {
    const blocks = await readCar(car, pause)
    const tree = treeOf(blocks.read(blocks.root), did)
    const entries = await entriesOf(blocks, { tree, collection }, pause)
    return { blocks, entries: entries.filter(({ rkey }) => isValidRecordKey(rkey)) }
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
