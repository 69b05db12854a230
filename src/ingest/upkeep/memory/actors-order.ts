// What the ingest thread and the one that loads the accounts beside it share.

import type { ActorTableHandle } from '../../../data/graph/actor-table.ts'

/** `handle`: of an empty table, to be filled. */
export type ActorsOrder = { dataDir: string; handle: ActorTableHandle; state: Int32Array }

/** Place in `state`, and its values. */
export const STATE = 0
export const LOADING = 0
export const LOADED = 1
export const FAILED = 2
