// The names of all queries that the server answers itself.

import { methods } from '../../../src/http/xrpc/methods.ts'

export function queryNames(): string[] {
  const queries = methods.filter(({ kind }) => kind === 'query')
  return queries.map(({ nsid }) => nsid)
}
