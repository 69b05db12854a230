// Every method about mutes of accounts and of lists.

import type { Method } from '../server/method.ts'
import { getListMutes } from './app/bsky/graph/getListMutes.ts'
import { getMutes } from './app/bsky/graph/getMutes.ts'
import { muteActor } from './app/bsky/graph/muteActor.ts'
import { muteActorList } from './app/bsky/graph/muteActorList.ts'
import { unmuteActor } from './app/bsky/graph/unmuteActor.ts'
import { unmuteActorList } from './app/bsky/graph/unmuteActorList.ts'
import type { AppContext } from './app-context.ts'

export function muteMethods(serving: AppContext): Method[] {
  return [
    muteActor(serving),
    unmuteActor(serving),
    getMutes(serving),
    muteActorList(serving),
    unmuteActorList(serving),
    getListMutes(serving),
  ]
}
