import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { WriteDb } from '../db.ts'
import { blockEdges } from '../edges/all-edges.ts'
import type { Edge } from '../edges/edge.ts'
import { invalidationsOf } from '../transact.ts'
import { deleteRelationRecord, deleteRelationRecordsOf } from './relation-records.ts'

const BLOCK = 'app.bsky.graph.block'

/** Its key must be free. */
export function insertBlock(db: WriteDb, block: Edge): void {
  blockEdges.insert(db, block)
  invalidationsOf(db).add(INVALIDATION.block, block.uid, block.subject)
}

/** `block` must be as it was found. */
export function deleteBlock(db: WriteDb, block: Edge): void {
  blockEdges.remove(db, block)
  deleteRelationRecord(db, { ...block, collection: BLOCK })
  invalidationsOf(db).add(INVALIDATION.block, block.uid, block.subject)
}

export function deleteBlocksOf(db: WriteDb, uid: number): void {
  blockEdges.removeAll(db, uid)
  deleteRelationRecordsOf(db, uid, BLOCK)
  invalidationsOf(db).add(INVALIDATION.relations, uid)
}
