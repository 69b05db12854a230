import { EdgeTable } from './edge-table.ts'

export const likeEdges = new EdgeTable('likes')
export const followEdges = new EdgeTable('follows')
export const blockEdges = new EdgeTable('blocks')
