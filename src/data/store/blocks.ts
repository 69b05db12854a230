// app.bsky.graph.block.

import type { PackedRkey } from '../../base/atproto/keys.ts'
import { NOTE } from '../shared-memory/note-kinds.ts'
import type { Db } from './db.ts'
import { blockEdges } from './edges/all-edges.ts'
import type { Edge } from './edges/edge.ts'
import { notesOf } from './notes.ts'

export function findBlock(db: Db, uid: number, rkey: PackedRkey): Edge | undefined {
  return blockEdges.find(db, uid, rkey)
}

/** Its key must be free. */
export function insertBlock(db: Db, block: Edge): void {
  blockEdges.insert(db, block)
  notesOf(db).add(NOTE.block, block.uid, block.subject)
}

/** As it was found. */
export function deleteBlock(db: Db, block: Edge): void {
  blockEdges.remove(db, block)
  notesOf(db).add(NOTE.block, block.uid, block.subject)
}

export function deleteBlocksOf(db: Db, uid: number): void {
  blockEdges.removeAll(db, uid)
  notesOf(db).add(NOTE.ties, uid)
}
