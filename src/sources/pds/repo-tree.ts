// Walks a repository's tree (MST) to the records of one collection, and leaves out the other branches. Keys
// must rise from node to node, and a node that appears twice is refused, so a crafted tree can't make the walk longer
// than the file. Spec: https://atproto.com/specs/repository#mst-structure.

import { asArray, isObject, type JsonObject } from '../../base/util/json-object.ts'
import { BadCarError, type CarBlocks } from './car.ts'

/** A record's key within the collection, and its CID. */
export type TreeEntry = { rkey: string; cid: string }

type Range = { from: string; to: string }
type Walk = Range & {
  blocks: CarBlocks
  pause: () => Promise<void>
  visited: Set<string>
  found: TreeEntry[]
  lastKey: string
}
type NodeEntry = { key: string; cid: string; right: string | undefined }

const MAX_DEPTH = 128
const NODES_AT_ONCE = 200

/**
 * All entries of the collection, by rising key.
 * @param tree - CID of the top node
 * @throws BadCarError
 */
export async function entriesOf(
  blocks: CarBlocks,
  of: { tree: string; collection: string },
  pause: () => Promise<void>,
): Promise<TreeEntry[]> {
  const range = { from: `${of.collection}/`, to: `${of.collection}0` }
  const walk = { ...range, blocks, pause, visited: new Set<string>(), found: [], lastKey: '' }
  await visit(walk, of.tree, 0)
  return walk.found
}

async function visit(walk: Walk, cid: string, depth: number): Promise<void> {
  if (depth > MAX_DEPTH || walk.visited.has(cid)) throw new BadCarError('a tree with a loop')
  walk.visited.add(cid)
  if (walk.visited.size % NODES_AT_ONCE === 0) await walk.pause()
  const node = walk.blocks.read(cid)
  if (!node) throw new BadCarError('a tree with a missing node')
  const entries = entriesIn(node)
  let below: string | undefined
  let branch = linkOf(node['l'])
  for (const { key, cid, right } of entries) {
    if (branch && mayHold(walk, below, key)) await visit(walk, branch, depth + 1)
    note(walk, key, cid)
    below = key
    branch = right
  }
  if (branch && mayHold(walk, below, undefined)) await visit(walk, branch, depth + 1)
}

/** Whether keys between these two may be of the collection. */
function mayHold({ from, to }: Range, above: string | undefined, below: string | undefined) {
  return (above === undefined || above < to) && (below === undefined || below > from)
}

function note(walk: Walk, key: string, cid: string): void {
  if (key <= walk.lastKey) throw new BadCarError('a tree out of order')
  walk.lastKey = key
  if (key > walk.from && key < walk.to) walk.found.push({ rkey: key.slice(walk.from.length), cid })
}

/** Each key is stored as what differs from the one before. */
function entriesIn(node: JsonObject): NodeEntry[] {
  let last = ''
  return asArray(node['e']).map((item) => {
    const { p, k, v, t } = isObject(item) ? item : {}
    const rest = isObject(k) ? k['$bytes'] : undefined
    const cid = linkOf(v)
    if (typeof p !== 'number' || p > last.length || typeof rest !== 'string' || !cid) {
      throw new BadCarError('a tree with a broken node')
    }
    last = last.slice(0, p) + Buffer.from(rest, 'base64').toString('latin1')
    return { key: last, cid, right: linkOf(t) }
  })
}

function linkOf(value: unknown): string | undefined {
  const link = isObject(value) ? value['$link'] : undefined
  return typeof link === 'string' ? link : undefined
}
