// A repository's tree (MST) as far as a commit's blocks show it: the rest is known by CIDs only. Operations are
// undone in memory, which yields the root of the tree before the commit. Spec:
// https://atproto.com/specs/repository#mst-structure, https://atproto.com/specs/sync#commit-validation-mst-operation-inversion

import { hash } from 'node:crypto'
import { CID_BYTES } from '../../../base/atproto/keys.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import type { Blocks } from './blocks.ts'
import { encodeNode } from './encode-node.ts'

/** The blocks do not show what is said, or are no tree. */
export class TreeError extends Error {
  override name = 'TreeError'
}

/** `kids[i]` stands before `keys[i]`, and one more behind the last. A CID alone: not read, or unchanged. */
type TreeNode = { keys: string[]; values: string[]; kids: Kid[] }
type Kid = TreeNode | string | null

const NO_NODE: TreeNode = { keys: [], values: [], kids: [null] }
const MAX_HEIGHT = 128

/** Half the zero bits with which the key's hash begins. */
function heightOf(key: string): number {
  const digest = hash('sha256', key, 'buffer')
  let bits = 0
  for (const byte of digest) {
    if (byte !== 0) return (bits + Math.clz32(byte) - 24) >> 1
    bits += 8
  }
  return bits >> 1
}

export class Tree {
  readonly #blocks: Blocks
  #root: TreeNode
  #height: number

  /** @throws TreeError */
  constructor(blocks: Blocks, root: string) {
    this.#blocks = blocks
    this.#root = this.#read(root)
    this.#height = this.#heightOfNode(this.#root, 0)
  }

  /** The CID of the key's value; undefined if the tree shows that it has none. @throws TreeError */
  get(key: string): string | undefined {
    let node: Kid = this.#root
    while (node !== null) {
      const known: TreeNode = this.#load(node)
      const i = positionOf(known, key)
      if (known.keys[i] === key) return known.values[i]
      node = known.kids[i]!
    }
    return undefined
  }

  /** @throws TreeError if the key has another value, or if the blocks do not show it. */
  replace(key: string, { from, to }: { from: string; to: string }): void {
    this.#root = this.#replaced(this.#root, key, { from, to })
  }

  /** @throws TreeError if the key has a value, or if the blocks do not show that it has none. */
  insert(key: string, value: string): void {
    const height = heightOf(key)
    if (this.#root.keys.length === 0 && this.#root.kids[0] === null) this.#height = height
    while (this.#height < height) {
      this.#root = { keys: [], values: [], kids: [emptied(this.#root)] }
      this.#height++
    }
    this.#root = this.#inserted(this.#root, { key, value, height }, this.#height)
  }

  /** @throws TreeError if the key has another value, or if the blocks do not show it. */
  remove(key: string, value: string): void {
    this.#root = this.#removed(this.#root, key, value)
  }

  /** The CID of the root as it is now: the topmost node with keys. */
  root(): string {
    let node = this.#root
    for (let [kid] = node.kids; node.keys.length === 0 && kid; [kid] = node.kids) {
      if (typeof kid === 'string' && !this.#blocks.bytes(kid)) return kid
      node = this.#load(kid)
    }
    return cidOf(node)
  }

  #inserted(
    node: TreeNode,
    what: { key: string; value: string; height: number },
    at: number,
  ): TreeNode {
    const { key, value, height } = what
    const i = positionOf(node, key)
    if (node.keys[i] === key) throw new TreeError('a deleted record is still there')
    if (at > height) {
      const kid = node.kids[i]!
      const below = kid === null ? NO_NODE : this.#load(kid)
      return { ...node, kids: node.kids.with(i, this.#inserted(below, what, at - 1)) }
    }
    const [left, right] = this.#split(node.kids[i]!, key)
    return {
      keys: node.keys.toSpliced(i, 0, key),
      values: node.values.toSpliced(i, 0, value),
      kids: node.kids.toSpliced(i, 1, left, right),
    }
  }

  /** The parts before and behind the key. */
  #split(kid: Kid, key: string): [Kid, Kid] {
    if (kid === null) return [null, null]
    const { keys, values, kids } = this.#load(kid)
    const i = positionOf({ keys }, key)
    if (keys[i] === key) throw new TreeError('a deleted record is still there')
    const [left, right] = this.#split(kids[i]!, key)
    const before = {
      keys: keys.slice(0, i),
      values: values.slice(0, i),
      kids: [...kids.slice(0, i), left],
    }
    const behind = {
      keys: keys.slice(i),
      values: values.slice(i),
      kids: [right, ...kids.slice(i + 1)],
    }
    return [emptied(before), emptied(behind)]
  }

  #removed(node: TreeNode, key: string, value: string): TreeNode {
    const i = positionOf(node, key)
    if (node.keys[i] === key) {
      if (node.values[i] !== value) throw new TreeError('a record is not the one of the tree')
      const merged = this.#merged(node.kids[i]!, node.kids[i + 1]!)
      return {
        keys: node.keys.toSpliced(i, 1),
        values: node.values.toSpliced(i, 1),
        kids: node.kids.toSpliced(i, 2, merged),
      }
    }
    const kid = node.kids[i]!
    if (kid === null) throw new TreeError('a record is not in the tree')
    const below = this.#removed(this.#load(kid), key, value)
    return { ...node, kids: node.kids.with(i, emptied(below)) }
  }

  #merged(left: Kid, right: Kid): Kid {
    if (left === null) return right
    if (right === null) return left
    const [a, b] = [this.#load(left), this.#load(right)]
    const between = this.#merged(a.kids.at(-1)!, b.kids[0]!)
    return {
      keys: [...a.keys, ...b.keys],
      values: [...a.values, ...b.values],
      kids: [...a.kids.slice(0, -1), between, ...b.kids.slice(1)],
    }
  }

  #replaced(node: TreeNode, key: string, of: { from: string; to: string }): TreeNode {
    const i = positionOf(node, key)
    if (node.keys[i] === key) {
      if (node.values[i] !== of.from) throw new TreeError('a record is not the one of the tree')
      return { ...node, values: node.values.with(i, of.to) }
    }
    const kid = node.kids[i]!
    if (kid === null) throw new TreeError('a record is not in the tree')
    return { ...node, kids: node.kids.with(i, this.#replaced(this.#load(kid), key, of)) }
  }

  /** By its first key; a node without keys is one level above its only child. */
  #heightOfNode(node: TreeNode, depth: number): number {
    if (depth > MAX_HEIGHT) throw new TreeError('a tree that is too high')
    if (node.keys[0] !== undefined) return heightOf(node.keys[0])
    const [kid] = node.kids
    return kid === null ? 0 : this.#heightOfNode(this.#load(kid!), depth + 1) + 1
  }

  #load(kid: TreeNode | string): TreeNode {
    return typeof kid === 'string' ? this.#read(kid) : kid
  }

  #read(cid: string): TreeNode {
    const block = this.#blocks.node(cid)
    if (!block) throw new TreeError('a part of the tree is missing')
    return nodeIn(block)
  }
}

/** Each key is stored as what differs from the one before. */
function nodeIn(block: JsonObject): TreeNode {
  const { e: entries, l: first } = block
  if (!Array.isArray(entries)) throw new TreeError('a broken node')
  const node: TreeNode = { keys: [], values: [], kids: [kidIn(first)] }
  let last = ''
  for (const { p, k, v, t } of entries as JsonObject[]) {
    if (typeof p !== 'number' || p > last.length || !Buffer.isBuffer(k) || typeof v !== 'string') {
      throw new TreeError('a broken node')
    }
    const key = last.slice(0, p) + k.toString('latin1')
    if (key <= last) throw new TreeError('a node out of order')
    node.keys.push(key)
    node.values.push(v)
    node.kids.push(kidIn(t))
    last = key
  }
  return node
}

function kidIn(link: unknown): Kid {
  if (link === null || link === undefined) return null
  if (typeof link !== 'string' || link.length !== CID_BYTES) throw new TreeError('a broken node')
  return link
}

/** The first key that is not before `key`. */
function positionOf({ keys }: Pick<TreeNode, 'keys'>, key: string): number {
  let i = 0
  while (i < keys.length && keys[i]! < key) i++
  return i
}

/** A node that holds nothing is none. */
function emptied(node: TreeNode): Kid {
  return node.keys.length === 0 && node.kids[0] === null ? null : node
}

function cidOf(node: TreeNode): string {
  const links = node.kids.map((kid) => (kid === null || typeof kid === 'string' ? kid : cidOf(kid)))
  return encodeNode({ ...node, links })
}
