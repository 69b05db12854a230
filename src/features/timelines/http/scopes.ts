// Scopes of a token: `read:<timelines>`, `post:<timelines>`, `graph:read` for the network’s graph, and
// `graph:read:<graphs>` and `graph:write:<graphs>` for programs' own graphs. Each `<…>` is a name, or a
// prefix of names and a star.

import { KINDS } from '../sources/timeline-key.ts'

const GRAPH_SCOPE = /^graph:(read|write):([a-z0-9][a-z0-9._-]{0,63}\*?|\*)$/
const SCOPE = /^(read|post):([A-Za-z0-9._:/%-]{0,300}\*?)$/

export const SCOPE_HINT =
  'For example read:*, read:following:*, read:custom:news, post:custom:bot-*, graph:read or graph:write:friends.'

export const MAX_SCOPES = 32

export function isScope(text: string): boolean {
  if (text === 'graph:read' || GRAPH_SCOPE.test(text)) return true
  const match = SCOPE.exec(text)
  const name = match?.[2]
  if (!name) return false
  if (name === '*') return true
  const kinds = match[1] === 'post' ? ['custom'] : KINDS
  return kinds.some((kind) => name.startsWith(`${kind}:`) && name.length > kind.length + 1)
}

/** Whether one of the scopes allows this verb on this name. */
export function allows(scopes: readonly string[], verb: string, name: string): boolean {
  return scopes.some((scope) => {
    if (!scope.startsWith(`${verb}:`)) return false
    const pattern = scope.slice(verb.length + 1)
    return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
  })
}
