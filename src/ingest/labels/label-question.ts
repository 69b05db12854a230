// One query to a labeler: all its labels on some subjects, with every signature checked.

import { lexParse } from '@atproto/lex-json'
import { findLabeler, type LabelerIdentity } from '../../sources/identity/labeler-identity.ts'
import { readLabels, type SignedLabel } from '../../sources/label.ts'
import type { reconcileLabels } from '../indexing/moderation/label.ts'
import type { LabelsContext } from './labels-context.ts'
import { isSignedBy } from './signature.ts'

type Question = { labeler: string; subjects: string[]; signal: AbortSignal }

const MAX_PAGES = 4
const MAX_BYTES = 2 << 20
/** From the lexicon. */
const PAGE = 250

/**
 * @returns the labeler's current labels. `subjects` are those whose labels it sent completely: none
 *   if anything in the answer was dropped, since that may have been one of their labels, or if it
 *   took several pages.
 * @throws if it does not answer, or answers with something unreadable.
 */
export async function askLabeler(
  context: Pick<LabelsContext, 'fetch' | 'limits' | 'now' | 'onDropped' | 'resolver'>,
  question: Question,
): Promise<Parameters<typeof reconcileLabels>[2]> {
  const { labeler, subjects } = question
  const requestedAt = context.now()
  const drops = countingDrops(context.onDropped)
  const identity = await findLabeler(context.resolver, labeler)
  if (!identity) throw new Error('no labeler')
  const { labels, isWhole } = await readWhereItIs(context, {
    ...question,
    identity,
    onDropped: drops.note,
  })
  const isRequested = new Set(subjects)
  const answered = labels.filter(({ label }) => isRequested.has(label.uri))
  for (let left = labels.length - answered.length; left > 0; left--) drops.note('not-asked')
  const sound = await soundAmong(answered, { context, identity, labeler })
  for (let left = answered.length - sound.length; left > 0; left--) drops.note('unsigned')
  const isComplete = isWhole && drops.count() === 0
  return {
    subjects: isComplete ? subjects : [],
    labels: sound.map(({ label }) => label),
    requestedAt,
  }
}

/** Labels that the known key did not sign may be signed by a new one, which its document then has. */
async function soundAmong(
  labels: readonly SignedLabel[],
  of: { context: Pick<LabelsContext, 'resolver'>; identity: LabelerIdentity; labeler: string },
): Promise<SignedLabel[]> {
  const { context, identity, labeler } = of
  const signed = labels.filter((label) => isSignedBy(label, identity.key))
  if (signed.length === labels.length) return signed
  const renewed = await findLabeler(context.resolver, labeler, { forceRefresh: true })
  if (!renewed || renewed.key === identity.key) return signed
  return labels.filter((label) => signed.includes(label) || isSignedBy(label, renewed.key))
}

type OnDropped = NonNullable<LabelsContext['onDropped']>

function countingDrops(onDropped: LabelsContext['onDropped']) {
  let dropped = 0
  const note: OnDropped = (reason) => {
    dropped++
    onDropped?.(reason)
  }
  return { note, count: () => dropped }
}

type Reading = Question & { identity: LabelerIdentity; onDropped: OnDropped }

/** `isWhole`: it is one page. Ozone’s pages are in no order, so that all together may lack any label. */
type Answer = { labels: SignedLabel[]; isWhole: boolean }

/** A labeler that does not answer may have moved, which its document then says. */
async function readWhereItIs(
  context: Pick<LabelsContext, 'fetch' | 'limits' | 'resolver'>,
  reading: Reading,
): Promise<Answer> {
  try {
    return await readPages(context, reading)
  } catch (error) {
    const identity = await findLabeler(context.resolver, reading.labeler, { forceRefresh: true })
    if (!identity || identity.origin === reading.identity.origin) throw error
    return readPages(context, { ...reading, identity })
  }
}

async function readPages(
  { fetch, limits }: Pick<LabelsContext, 'fetch' | 'limits'>,
  question: Reading,
): Promise<Answer> {
  const { labeler, subjects, signal, identity, onDropped } = question
  const labels: SignedLabel[] = []
  const isOnePage = lookingForFurther()
  let isWhole = true
  const url = new URL('/xrpc/com.atproto.label.queryLabels', identity.origin)
  for (const subject of subjects) url.searchParams.append('uriPatterns', subject)
  url.searchParams.set('sources', labeler)
  url.searchParams.set('limit', String(PAGE))
  for (let page = 0; page < MAX_PAGES; page++) {
    const options = { maxBytes: MAX_BYTES, timeoutMs: limits.queryTimeoutMs, signal }
    const { status, body } = await fetch(url.href, options)
    if (status !== 200) throw new Error(`status ${status}`)
    const answer = lexParse(body.toString()) as { labels?: unknown; cursor?: unknown }
    if (!Array.isArray(answer?.labels)) throw new Error('no labels in the answer')
    const read = readLabels(answer.labels, labeler, onDropped)
    labels.push(...read)
    isWhole &&= isOnePage(read)
    const { cursor } = answer
    const leadsOn = typeof cursor === 'string' && cursor !== url.searchParams.get('cursor')
    if (!leadsOn || answer.labels.length === 0) return { labels, isWhole }
    url.searchParams.set('cursor', cursor)
  }
  return { labels, isWhole: false }
}

/** @returns whether a page, the first or a later one, leaves the answer at one that was not full. */
function lookingForFurther(): (page: readonly SignedLabel[]) => boolean {
  const nameOf = ({ label: { uri, val, cts } }: SignedLabel) => `${cts} ${val} ${uri}`
  let first: ReadonlySet<string> | undefined
  return (page) => {
    if (first) return page.every((label) => first!.has(nameOf(label)))
    first = new Set(page.map(nameOf))
    return page.length < PAGE
  }
}
