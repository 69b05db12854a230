// What the operator asks the writer to change, each in one transaction (parts of imported lists in several),
// answered with figures when it is committed and visible in memory.

import type { OperatorReply, OperatorRequest } from '../../bridge/messages.ts'
import type { FollowLine } from '../../data/store/follows.ts'
import type { ImportTally } from '../indexing/import-tally.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { createInvite, disableInvite } from '../indexing/invites.ts'
import type { MemoryChange } from '../indexing/memory-changes.ts'
import { decide } from '../indexing/moderation.ts'
import { addMember, endMembership } from '../indexing/operator-members.ts'
import { parseState } from '../member-state/document.ts'
import { applyState } from '../member-state/write-state.ts'
import type { DiskRoom } from './disk/disk-room.ts'
import { failedReply } from './failed-reply.ts'
import { createImportSlices } from './import-slices.ts'

export type OperatorParts = {
  indexer: Indexer
  publish: (changes: MemoryChange[]) => void
  wakeBackfill: () => void
  room: Pick<DiskRoom, 'attempt'>
  /** Keeps the database's log short, which much work makes long; what it returns is waited for. */
  tendLog: () => Promise<void> | undefined
}

export function createOperatorRequests(
  parts: OperatorParts,
): (id: number, request: OperatorRequest) => Promise<OperatorReply> {
  const importFollows = createImportSlices({ ...parts, apply: importSlice })

  function importSlice(lines: readonly FollowLine[], isInScopeOnly: boolean): ImportTally {
    return parts.room.attempt(() => {
      const { changes, tally } = parts.indexer.importFollows(lines, { isInScopeOnly })
      parts.publish(changes)
      return tally
    })
  }

  return async (id, request) => {
    try {
      const figures =
        request.kind === 'import-follows'
          ? await importFollows(request.lines, request.isInScopeOnly)
          : parts.room.attempt(() => apply(parts, request))
      parts.wakeBackfill()
      await parts.tendLog()
      return { id, ok: true, figures }
    } catch (error) {
      return failedReply(id, error)
    }
  }
}

function apply(
  { indexer, publish }: OperatorParts,
  request: Exclude<OperatorRequest, { kind: 'import-follows' }>,
): Record<string, number> {
  switch (request.kind) {
    case 'add-member': {
      const changes = indexer.run((ctx) => addMember(ctx, request.did))
      publish(changes)
      return { added: count(changes, 'member-added') }
    }
    case 'remove-member': {
      const changes = indexer.run((ctx) => endMembership(ctx, request.did))
      publish(changes)
      return { removed: count(changes, 'member-removed') }
    }
    case 'create-invite': {
      publish(indexer.run((ctx) => createInvite(ctx, request)))
      return {}
    }
    case 'disable-invite': {
      let isDisabled = false
      publish(
        indexer.run((ctx) => {
          isDisabled = disableInvite(ctx, request.code)
        }),
      )
      return { disabled: Number(isDisabled) }
    }
    case 'moderate': {
      let isNews = false
      publish(
        indexer.run((ctx) => {
          isNews = decide(ctx, request)
        }),
      )
      return { changed: Number(isNews) }
    }
    case 'import-state': {
      const state = parseState(request.document)
      publish(indexer.run((ctx) => applyState(ctx, state)))
      return {}
    }
  }
}

function count(changes: readonly MemoryChange[], kind: MemoryChange['kind']): number {
  return changes.filter((change) => change.kind === kind).length
}
