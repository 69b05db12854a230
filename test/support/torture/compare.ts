// Reads everything that members can see, page by page, and compares it with the oracle.

import type { Actions } from './actions.ts'
import type { Check, Comparison, Dependencies } from './checking.ts'
import { compareForYou } from './compare-for-you.ts'
import { compareFollowers, compareFollows, compareKnownFollowers } from './compare-graph.ts'
import { compareLists } from './compare-lists.ts'
import { compareNotifications } from './compare-notifications.ts'
import { comparePictures } from './compare-pictures.ts'
import { compareBookmarks, compareMutes } from './compare-private.ts'
import { compareProfiles } from './compare-profiles.ts'
import { compareSearch } from './compare-search.ts'
import { compareThreads } from './compare-threads.ts'
import { compareTimeline } from './compare-timeline.ts'
import { createOracle } from './oracle.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

export async function compareAll(options: {
  world: World
  actions: Actions
  subject: Subject
  pageSize: number
}): Promise<Comparison> {
  const { world, actions, subject, pageSize } = options
  const oracle = createOracle(world, actions)
  const result: Comparison = { compared: 0, differences: [] }
  const everybody = world.network.repositories.map(({ did }) => did)
  for (const { did: viewer } of world.members) {
    const check: Check = (same, difference) => {
      result.compared++
      if (!same) result.differences.push({ viewer, ...difference })
    }
    const parts: Dependencies = { subject, oracle, viewer, check, pageSize }
    const items = await compareTimeline(parts)
    await compareThreads(parts, items)
    await comparePictures(parts, items)
    await compareFollows(parts)
    await compareFollowers(parts)
    for (const did of everybody) await compareKnownFollowers(parts, did)
    await compareProfiles(parts, everybody)
    await compareNotifications(parts)
    await compareLists(parts, everybody)
    await compareMutes(parts, actions)
    await compareBookmarks(parts, actions)
    await compareSearch(parts, everybody)
    await compareForYou(parts)
  }
  return result
}
