// The file of a repository (CAR) as getRepo answers it: commit, tree (MST) and records of an account of the PDS
// double. Spec: https://atproto.com/specs/repository.

import { createHash } from 'node:crypto'
import { encode } from '@atproto/lex-cbor'
import { jsonToLex } from '@atproto/lex-json'
import { bytesOfCid, unpackCid } from '../../src/base/atproto/keys.ts'
import type { Repository } from './simulated-network/repository.ts'

type Account = Pick<Repository, 'did' | 'collections'> & { readonly rev: string }
type Leaf = { key: string; cid: string; layer: number }
type Block = { cid: string; bytes: Uint8Array }

/**
 * @param shuffle - puts the blocks in another order, as some servers do
 * @param sign - of the commit’s bytes; no real signature if omitted
 */
export function repoFileOf(
  account: Account,
  shuffle = (blocks: Block[]) => blocks,
  sign: Sign = () => Buffer.alloc(64),
): Buffer {
  const { root, blocks } = signedTree(account, sign)
  return carOf(root, shuffle(blocks))
}

export type Sign = (unsigned: Uint8Array) => Uint8Array

/** `root` and `data`: CIDs of the commit and of the tree. */
export function signedTree(
  account: Account,
  sign: Sign,
): { root: string; data: string; blocks: Block[] } {
  const blocks: Block[] = []
  const put = (value: object): string => {
    const bytes = encode(jsonToLex(value as never))
    const cid = unpackCid(createHash('sha256').update(bytes).digest())
    blocks.push({ cid, bytes })
    return cid
  }
  const leaves: Leaf[] = []
  for (const [collection, records] of account.collections) {
    for (const { rkey, value } of records.values()) {
      const key = `${collection}/${rkey}`
      leaves.push({ key, cid: put(value), layer: layerOf(key) })
    }
  }
  leaves.sort((a, b) => (a.key < b.key ? -1 : 1))
  const top = Math.max(0, ...leaves.map(({ layer }) => layer))
  const data = treeOf(leaves, top, put) ?? put({ l: null, e: [] })
  const { did, rev } = account
  const unsigned = { did, version: 3, data: link(data), rev, prev: null }
  const signature = sign(encode(jsonToLex(unsigned as never)))
  const sig = { $bytes: Buffer.from(signature).toString('base64').replace(/=+$/, '') }
  return { root: put({ ...unsigned, sig }), data, blocks }
}

export function carOf(root: string, blocks: Block[]): Buffer {
  const header = encode(jsonToLex({ roots: [link(root)], version: 1 } as never))
  const sections = blocks.flatMap(({ cid, bytes }) => section(bytesOfCid(cid)!, bytes))
  return Buffer.concat([...section(header), ...sections])
}

/** Half the zero bits with which the key's hash begins. */
function layerOf(key: string): number {
  const bits = [...createHash('sha256').update(key).digest()]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
  return Math.floor(bits.indexOf('1') / 2)
}

/** @returns the CID of the node; undefined for no leaves */
function treeOf(leaves: Leaf[], layer: number, put: (node: object) => string): string | undefined {
  if (leaves.length === 0) return undefined
  const own = leaves.flatMap((leaf, i) => (leaf.layer === layer ? [i] : []))
  const branch = (from: number, to = leaves.length) => {
    const cid = treeOf(leaves.slice(from, to), layer - 1, put)
    return cid === undefined ? null : link(cid)
  }
  let last = ''
  const e = own.map((at, i) => {
    const { key, cid } = leaves[at]!
    let p = 0
    while (p < last.length && key[p] === last[p]) p++
    last = key
    const k = { $bytes: Buffer.from(key.slice(p)).toString('base64').replace(/=+$/, '') }
    return { p, k, v: link(cid), t: branch(at + 1, own[i + 1]) }
  })
  return put({ l: branch(0, own[0]), e })
}

const link = (cid: string) => ({ $link: cid })

/** The parts behind their length. */
function section(...parts: Uint8Array[]): Uint8Array[] {
  const length: number[] = []
  let left = parts.reduce((sum, part) => sum + part.length, 0)
  do {
    length.push(left > 127 ? (left & 127) | 128 : left)
    left >>= 7
  } while (left > 0)
  return [Uint8Array.from(length), ...parts]
}
