// Members and invites on the explore page: who may read here, who did last, links to read by, and codes to join with.
// Whoever is removed has their private state saved as a file first, as with the command.

import { byId, dateAndTime, element, scrollable, table, words } from './dom.ts'
import { sendAsOperator } from './operator.ts'

type Member = {
  did: string
  handle?: string
  joinedAt: string
  lastSeenAt?: string
  follows: number
}
type Invite = {
  code: string
  note: string
  maxUses: number
  uses: number
  expiresAt?: string
  disabledAt?: string
}

const MEMBER_HEADS = ['Member', 'Joined', 'Last here', 'Follows', '']
const INVITE_HEADS = ['Code', 'Note', 'Joined by it', 'Ends', '']
const LINK_HOURS = 24
const RETURNS: Record<string, string> = {
  open: ' Anyone may read here (SLIPSTREAM_MEMBERS), so their next request makes them a member again; a ban keeps them out.',
  named:
    ' SLIPSTREAM_MEMBERS names them, so their next request makes them a member again; a ban keeps them out.',
}

export async function showMembership(): Promise<void> {
  await Promise.all([showMembers(), showInvites()])
}

export function forgetMembership(): void {
  for (const id of ['member-list', 'invite-list', 'member-done', 'invite-done'])
    byId(id).replaceChildren()
}

export async function addMember(form: FormData): Promise<void> {
  const actor = String(form.get('actor')).trim()
  const added = await sendAsOperator<{ did: string; handle?: string; isNew: boolean }>(
    'POST',
    'members',
    {
      actor,
    },
  )
  const words = added.isNew ? 'may read here now' : 'was a member already'
  byId('member-done').textContent = `${added.handle ?? added.did} ${words}.`
  await showMembers()
}

export async function makeInvite(form: FormData): Promise<void> {
  const [days, note] = [String(form.get('days')), String(form.get('note'))]
  const invite = { maxUses: Number(form.get('maxUses')), note, ...(days && { days: Number(days) }) }
  const { code, page } = await sendAsOperator<{ code: string; page?: string }>(
    'POST',
    'invites',
    invite,
  )
  const how = page
    ? `, entered at ${page}.`
    : '. It works once SLIPSTREAM_MEMBERS contains the word invite.'
  byId('invite-done').replaceChildren('The code is ', element('code', {}, code), how)
  await showInvites()
}

async function showMembers(): Promise<void> {
  const { members } = await sendAsOperator<{ members: Member[] }>('GET', 'members')
  const latest = members.toSorted((a, b) => ((a.lastSeenAt ?? '') < (b.lastSeenAt ?? '') ? 1 : -1))
  const nobody = element('p', { class: 'empty' }, 'Nobody reads here yet.')
  byId('member-list').replaceChildren(
    latest.length > 0 ? scrollable('Members', table(MEMBER_HEADS, latest.map(memberRow))) : nobody,
  )
}

async function showInvites(): Promise<void> {
  const { invites } = await sendAsOperator<{ invites: Invite[] }>('GET', 'invites')
  const open = invites.filter(isOpen)
  const none = element('p', { class: 'empty' }, 'No invite can be used.')
  byId('invite-list').replaceChildren(
    open.length > 0 ? scrollable('Invites', table(INVITE_HEADS, open.map(inviteRow))) : none,
  )
}

function isOpen({ uses, maxUses, expiresAt, disabledAt }: Invite): boolean {
  return !disabledAt && uses < maxUses && !(expiresAt && Date.parse(expiresAt) < Date.now())
}

function memberRow(member: Member): (string | Node)[] {
  const { did, handle, joinedAt, lastSeenAt, follows } = member
  const buttons = element(
    'span',
    { class: 'buttons' },
    action('member-done', 'Reading link', () => makeLink(member)),
    action('member-done', 'Remove', () => remove(member)),
  )
  const seen = lastSeenAt ? dateAndTime(lastSeenAt) : 'never'
  return [words(handle ?? did), dateAndTime(joinedAt), seen, String(follows), buttons]
}

function inviteRow({ code, note, uses, maxUses, expiresAt }: Invite): (string | Node)[] {
  const ends = expiresAt ? dateAndTime(expiresAt) : 'never'
  const disable = action('invite-done', 'Disable', async () => {
    await sendAsOperator('DELETE', `invites/${encodeURIComponent(code)}`)
    byId('invite-done').textContent = `${code} admits nobody any more.`
    await showInvites()
  })
  return [element('code', {}, code), words(note), `${uses} of ${maxUses}`, ends, disable]
}

/** A button that says below its table what it did, or why not. */
function action(position: string, words: string, work: () => Promise<void>): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'quiet' }, words)
  button.addEventListener('click', () => {
    button.disabled = true
    work()
      .catch((error: Error) => {
        byId(position).textContent = error.message
      })
      .finally(() => {
        button.disabled = false
      })
  })
  return button
}

async function makeLink({ did, handle }: Member): Promise<void> {
  const path = `members/${encodeURIComponent(did)}/link`
  const { url } = await sendAsOperator<{ url: string }>('POST', path, { hours: LINK_HOURS })
  byId('member-done').replaceChildren(
    `Whoever has this link reads as ${handle ?? did} for ${LINK_HOURS} hours: `,
    element('a', { href: url }, url),
  )
}

async function remove({ did, handle }: Member): Promise<void> {
  const name = handle ?? did
  if (!confirm(`Remove ${name}? Their private state here is deleted, and saved as a file first.`))
    return
  const path = `members/${encodeURIComponent(did)}`
  saveFile(`${did.replaceAll(':', '-')}.json`, await sendAsOperator<object>('GET', `${path}/state`))
  const { returns } = await sendAsOperator<{ returns?: string }>('DELETE', path)
  byId('member-done').textContent =
    `${name} is no longer a member.${returns ? (RETURNS[returns] ?? '') : ''}`
  await showMembers()
}

function saveFile(name: string, content: object): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content)], { type: 'application/json' }))
  element('a', { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
