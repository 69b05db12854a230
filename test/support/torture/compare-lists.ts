// Lists of authors: the lists themselves and their members.

import { compareAccounts, type Dependencies, isListed, type Profile, readAll } from './checking.ts'

const LIST = 'app.bsky.graph.list'
const ITEM = 'app.bsky.graph.listitem'

export async function compareLists(parts: Dependencies, everybody: string[]): Promise<void> {
  const { oracle, check } = parts
  for (const did of everybody) {
    const own = oracle.records(did, LIST).map(({ rkey }) => `at://${did}/${LIST}/${rkey}`)
    if (own.length === 0 || !oracle.isSteady(did) || !isListed(parts, did)) continue
    const method = 'app.bsky.graph.getLists'
    const lists = await readAll<{ uri: string }>(parts, method, { actor: did }, 'lists')
    const visible = lists.map(({ uri }) => uri).sort()
    const isSame = JSON.stringify(visible) === JSON.stringify([...own].sort())
    check(isSame, { what: 'lists', about: did, expected: own, got: visible })
    for (const list of own) await compareItems(parts, did, list)
  }
}

async function compareItems(parts: Dependencies, owner: string, list: string): Promise<void> {
  const { oracle } = parts
  const on = oracle
    .records(owner, ITEM)
    .filter(({ value }) => value['list'] === list)
    .map(({ value }) => value['subject'] as string)
    .filter((did) => isListed(parts, did) && !oracle.isBlocked(owner, did))
  const expected = new Set(on)
  const method = 'app.bsky.graph.getList'
  const items = await readAll<{ subject: Profile }>(parts, method, { list }, 'items')
  const views = [...new Map(items.map(({ subject }) => [subject.did, subject])).values()]
  const may = new Set(oracle.records(owner, ITEM).map(({ value }) => value['subject'] as string))
  compareAccounts(parts, `getList ${list}`, views, { must: expected, may })
}
