// The explore view: queries as the operator, and shows why a timeline is as it is.

import { byId, choice, dateAndTime, element, shortName } from './dom.ts'
import { drawStrip } from './draws.ts'
import { createTabs } from './explore-tabs.ts'
import { suggestMembers } from './members.ts'
import { addMember, forgetMembership, makeInvite, showMembership } from './membership.ts'
import { decide, showModeration } from './moderation.ts'
import {
  askAsOperator,
  forgetToken,
  operatorToken,
  RefusedError,
  rememberToken,
} from './operator.ts'
import { type Person, person } from './person.ts'
import { type Proof, proofGraph, proofTable, proofWords } from './proof-graph.ts'
import { createServerTab } from './server-tab.ts'
import { showSlow } from './slow.ts'
import { stripOf } from './strip-of-draws.ts'
import { showVideos } from './videos.ts'

type Verdict = {
  way: 'own' | 'fan-out' | 'merged' | 'rows'
  draw: number
  keepShare: number
  against: string[]
  notes: string[]
}
type Item = {
  uri: string
  author: Person
  text: string
  sortAt: number
  repostedBy?: Person
  isServed?: boolean
  verdict: Verdict
}
type Timeline = { items: Item[]; cursor?: string }
type Account = Person & {
  isMember: boolean
  isCelebrity: boolean
  isHidden: boolean
  lastSeenAt?: number
  isColdStarted: boolean
  follows: number
  followers: number
  memberFollowers: number
  reasonableLimit: number
  keepShare: number
  ring?: { items: number; isTruncated: boolean; oldestAt?: number }
}
type PostAnswer = { checks: { text: string; isMet?: boolean }[]; items: Item[] }

const WAYS: Record<Verdict['way'], string> = {
  own: 'the reader’s own',
  'fan-out': 'written to the timeline in memory on arrival',
  merged: 'merged in on read: its author has too many readers for fan-out',
  rows: 'read from the database: older than the timeline in memory',
}

/** Places of what only the operator may see. */
const RESULTS = ['account', 'draws', 'timeline', 'post', 'proof', 'moderation', 'slow', 'videos']

let cursor: string | undefined
let drawn: Verdict[] = []
let actor = ''

onSubmit('login-form', async (form) => {
  rememberToken(String(form.get('token')).trim())
  await askAsOperator('newcomers').catch((error: unknown) => {
    forgetToken()
    throw error
  })
  enter()
})
onSubmit('timeline-form', async (form) => {
  forgetTimeline()
  actor = String(form.get('actor'))
  const account = await askAsOperator<Account>('account', { actor })
  byId('account').replaceChildren(accountCard(account))
  await readMore()
  byId('item-choice').hidden = false
})
onSubmit('post-form', async (form) => {
  byId('post').replaceChildren()
  const query = { actor: String(form.get('actor')), uri: String(form.get('uri')).trim() }
  byId('post').replaceChildren(...postAnswer(await askAsOperator<PostAnswer>('post', query)))
})
onSubmit('proof-form', async (form) => {
  byId('proof').replaceChildren()
  const query = { viewer: String(form.get('viewer')), subject: String(form.get('subject')) }
  const proof = await askAsOperator<Proof>('proof', query)
  const position = byId('proof')
  position.replaceChildren(
    proofWords(proof),
    proofGraph(proof, position.clientWidth),
    proofTable(proof),
  )
})
onSubmit('member-form', addMember)
onSubmit('invite-form', makeInvite)
onSubmit('moderation-form', (form, act) => decide(form, act))
const tabList = document.getElementById('tabs')
const serverTab = tabList ? createServerTab(leave) : undefined
const tabs = tabList
  ? createTabs(tabList, (name) => {
      serverTab?.open(name === 'overview')
      if (name === 'members') void showMembership().catch(() => undefined)
    })
  : undefined
const more = document.getElementById('more')
more?.addEventListener('click', () => void readMore())
const itemChoice = document.getElementById('item-choice')
if (itemChoice)
  choice(itemChoice, 'show', (which) => {
    byId('timeline').dataset['show'] = which
  })
document.getElementById('slow-again')?.addEventListener('click', () => void showSlow())
document.getElementById('logout')?.addEventListener('click', leave)
if (operatorToken() !== undefined && document.getElementById('login')) {
  askAsOperator('newcomers').then(enter, leave)
}

function enter(): void {
  byId('login').hidden = true
  byId('explore').hidden = false
  tabs?.restore()
  const field = document.querySelector<HTMLElement>('[role="tabpanel"]:not([hidden]) input')
  const tab = document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')
  const first = field ?? tab
  first?.focus()
  void suggestMembers().catch(() => undefined)
  void showModeration().catch(() => undefined)
  void showSlow().catch(() => undefined)
  void showVideos().catch(() => undefined)
}

function leave(): void {
  forgetToken()
  serverTab?.clear()
  forgetMembership()
  byId('explore').hidden = true
  byId('login').hidden = false
  for (const id of [...RESULTS, 'readers']) byId(id).replaceChildren()
  for (const form of document.querySelectorAll('form')) form.reset()
}

/** Clears results, so that none appear under another account's name or under an error. */
function forgetTimeline(): void {
  for (const id of ['account', 'draws', 'timeline']) byId(id).replaceChildren()
  drawn = []
  for (const id of ['item-choice', 'more']) byId(id).hidden = true
  cursor = undefined
}

/** Shows errors beside the form that caused them. */
function onSubmit(id: string, work: (form: FormData, act: string) => Promise<void>): void {
  const form = document.getElementById(id) as HTMLFormElement | null
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    const problem = form.querySelector('.problem') as HTMLElement
    const button = form.querySelector('button') as HTMLButtonElement
    problem.textContent = ''
    button.disabled = true
    const act = (event.submitter as HTMLButtonElement | null)?.value ?? ''
    work(new FormData(form), act)
      .catch((error: unknown) => {
        if (error instanceof RefusedError && id !== 'login-form') leave()
        problem.textContent = error instanceof Error ? error.message : String(error)
      })
      .finally(() => {
        button.disabled = false
      })
  })
}

async function readMore(): Promise<void> {
  const page = await askAsOperator<Timeline>('timeline', { actor, cursor })
  byId('timeline').append(...page.items.map(itemRow))
  drawn.push(...page.items.map(({ verdict }) => verdict))
  const strip = stripOf(drawn)
  byId('draws').replaceChildren(...(strip ? [drawStrip(strip)] : []))
  if (byId('timeline').childElementCount === 0) {
    byId('timeline').append(element('li', { class: 'empty' }, 'This timeline is empty.'))
  }
  cursor = page.cursor
  byId('more').hidden = cursor === undefined
}

function accountCard(account: Account): HTMLElement {
  const { follows, reasonableLimit, keepShare, ring } = account
  const lossiness =
    keepShare === 1
      ? `keeps everything: ${follows} follows${reasonableLimit === 0 ? '' : ` are within the limit of ${reasonableLimit}`}`
      : `lossy: of ${follows} follows’ posts, ${Math.round(keepShare * 100)} % are kept (limit ${reasonableLimit})`
  const memory = ring
    ? `${ring.items} items in memory${ring.oldestAt === undefined ? '' : `, back to ${dateAndTime(ring.oldestAt)}`}`
    : 'not in memory; it is built at the next request'
  const roles = [
    account.isMember ? 'member' : 'not a member',
    account.isCelebrity && 'merged at read time',
    account.isHidden && 'deactivated or taken down',
    account.isMember && !account.isColdStarted && 'still being set up',
  ].filter((role) => role !== false)
  const facts: [string, string][] = [
    ['Role', roles.join(', ')],
    ['Timeline', lossiness],
    ['Memory', memory],
    ['Followers', `${account.followers}, members among them: ${account.memberFollowers}`],
    ['Last seen', account.lastSeenAt === undefined ? 'not yet' : dateAndTime(account.lastSeenAt)],
  ]
  const list = facts.map(([name, text]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, text)),
  )
  return element(
    'div',
    { class: 'card' },
    person(account),
    element('dl', { class: 'facts' }, ...list),
  )
}

function itemRow(item: Item): HTMLElement {
  const { verdict, author, text, sortAt, repostedBy, uri } = item
  const fate = fateOf(item)
  return element(
    'li',
    { class: fate.kind },
    element(
      'div',
      { class: 'item-head' },
      person(author),
      element('time', { datetime: new Date(sortAt).toISOString() }, dateAndTime(sortAt)),
    ),
    repostedBy && element('p', { class: 'repost' }, `Reposted by ${shortName(repostedBy)}`),
    element('p', { class: 'text', dir: 'auto' }, text || '(no text)'),
    element('p', { class: 'why' }, element('strong', {}, fate.word), ` · ${fate.why}`),
    element(
      'details',
      {},
      element('summary', {}, 'More'),
      element('p', {}, `${capital(because(item))}; ${WAYS[verdict.way]}.`),
      verdict.keepShare < 1 &&
        element(
          'p',
          {},
          `Drawn: ${verdict.draw.toFixed(3)}; kept below ${verdict.keepShare.toFixed(3)}.`,
        ),
      ...verdict.notes.map((note) => element('p', {}, `${capital(note)}.`)),
      element('p', {}, element('code', {}, uri)),
    ),
  )
}

function fateOf(item: Item): { kind: string; word: string; why: string } {
  const { against, notes } = item.verdict
  if (against.length > 0) return { kind: 'left-out', word: 'Left out', why: against.join('; ') }
  if (item.isServed === false) return { kind: 'elsewhere', word: 'Not here', why: notes.join('; ') }
  return { kind: 'served', word: 'Served', why: because(item) }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function because({ author, repostedBy, verdict }: Item): string {
  if (verdict.way === 'own') return 'the reader’s own'
  return `the reader follows ${shortName(repostedBy ?? author)}`
}

function postAnswer({ checks, items }: PostAnswer): HTMLElement[] {
  const list = element(
    'ul',
    { class: 'checks' },
    ...checks.map(({ text, isMet }) =>
      element('li', { class: isMet === undefined ? 'open' : isMet ? 'met' : 'unmet' }, text),
    ),
  )
  return [list, element('ol', { class: 'timeline' }, ...items.map(itemRow))]
}
