// The operator's write requests, each in one transaction (parts of imported lists in several), answered with
// figures once committed and visible in memory.

import type { FeatureRequest, OperatorReply, OperatorRequest } from '../../../bridge/messages.ts'
import type { FollowLine } from '../../../data/store/records/follows.ts'
import { failedReply } from '../../failed-reply.ts'
import type { Operations } from '../../feature.ts'
import type { ImportTally } from '../../indexing/imports/import-tally.ts'
import { importLiveFollows } from '../../indexing/imports/live-follows.ts'
import type { IndexContext } from '../../indexing/index-context.ts'
import { parseState } from '../../indexing/member-state/document.ts'
import { applyState } from '../../indexing/member-state/write-state.ts'
import { createInvite, disableInvite } from '../../indexing/members/invites.ts'
import { addMember, endMembership } from '../../indexing/members/operator-members.ts'
import type { MemoryChange } from '../../indexing/memory/memory-changes.ts'
import { decide } from '../../indexing/moderation/moderation.ts'
import type { Writer } from '../../indexing/writer.ts'
import type { DiskSpace } from '../disk/disk-space.ts'
import { createImportSlices } from './import-slices.ts'

type OperatorContext = {
  writer: Pick<Writer, 'commit'>
  wakeBackfill: () => void
  /** Of features. */
  ofFeatures: Operations
  diskSpace: Pick<DiskSpace, 'attempt'>
  /** Keeps the database's log short, which large imports lengthen; awaited. */
  tendLog: () => Promise<void> | undefined
}

export function createOperatorRequests(
  context: OperatorContext,
): (id: number, request: OperatorRequest) => Promise<OperatorReply> {
  const importFollows = createImportSlices({ ...context, apply: importSlice })

  function importSlice(lines: readonly FollowLine[], isInScopeOnly: boolean): ImportTally {
    const work = (ctx: IndexContext) => importLiveFollows(ctx, lines, { isInScopeOnly })
    return context.diskSpace.attempt(() => context.writer.commit(work))
  }

  return async (id, request) => {
    try {
      const figures =
        request.kind === 'import-follows'
          ? await importFollows(request.lines, request.isInScopeOnly)
          : context.diskSpace.attempt(() =>
              context.writer.commit((ctx) =>
                isOfFeature(request)
                  ? operate(context.ofFeatures, ctx, request)
                  : apply(ctx, request),
              ),
            )
      context.wakeBackfill()
      await context.tendLog()
      return { id, ok: true, figures }
    } catch (error) {
      return failedReply(id, error)
    }
  }
}

function isOfFeature(request: OperatorRequest): request is FeatureRequest {
  return request.kind.includes('/')
}

function operate(
  ofFeatures: Operations,
  ctx: IndexContext,
  { kind, body }: FeatureRequest,
): Record<string, number> {
  const operation = ofFeatures[kind]
  if (!operation) throw new Error(`no feature answers ${kind}`)
  return operation(ctx, body as never)
}

function apply(
  ctx: IndexContext,
  request: Exclude<OperatorRequest, { kind: 'import-follows' } | FeatureRequest>,
): Record<string, number> {
  switch (request.kind) {
    case 'add-member':
      addMember(ctx, request.did)
      return { added: count(ctx.changes, 'member-added') }
    case 'remove-member':
      endMembership(ctx, request.did)
      return { removed: count(ctx.changes, 'member-removed') }
    case 'create-invite':
      createInvite(ctx, request)
      return {}
    case 'disable-invite':
      return { disabled: Number(disableInvite(ctx, request.code)) }
    case 'moderate':
      return { changed: Number(decide(ctx, request)) }
    case 'import-state':
      applyState(ctx, parseState(request.document))
      return {}
  }
}

function count(changes: readonly MemoryChange[], kind: MemoryChange['kind']): number {
  return changes.filter((change) => change.kind === kind).length
}
