// The questions of a first start, and what an answer means. A wrong one gets a sentence that says what would fit.

import { INVITE } from '../../../base/config/members.ts'
import { hostname, members, Unfit } from '../../../base/config/parsers.ts'
import { envLine } from '../../../base/config/setting.ts'

export type Question<T> = {
  text: string
  prompt: string
  read(answer: string): { answer: T } | { wrong: string }
}

type Readers = 'invited' | 'named' | 'anyone'

type Answers = { members: Readers; named: string; host: string }

const CHOICES: ReadonlyMap<string, Readers> = new Map([
  ['', 'invited'],
  ['1', 'invited'],
  ['2', 'named'],
  ['3', 'anyone'],
])

export const MEMBERS: Question<Readers> = {
  text: `Nothing is set yet, so here are two questions. Ctrl-C leaves everything as it is.

Who may read here? Each member uses memory, disk and traffic of this machine.
  1  accounts with an invite code from you (recommended)
  2  only accounts that you name
  3  anyone who signs in, up to a number (SLIPSTREAM_MAX_MEMBERS)
`,
  prompt: '1, 2 or 3 [1]: ',
  read: (text) => {
    const answer = CHOICES.get(text)
    return answer ? { answer } : { wrong: 'Type 1, 2 or 3, or only Enter for 1.' }
  },
}

/** Asked after some of the choices. */
export const NAMES: Partial<Record<Readers, Question<string>>> = {
  invited: {
    text: '',
    prompt: 'Your own handle or DID, which then needs no code (optional): ',
    read: (text) => (text === '' ? { answer: '' } : readNames(text)),
  },
  named: {
    text: '',
    prompt: 'Handles or DIDs, separated by commas: ',
    read: (text) =>
      text === ''
        ? { wrong: 'Without a name nobody could read here: type at least one handle or DID.' }
        : readNames(text),
  },
}

export const HOST: Question<string> = {
  text: `
Which host name leads here? Clients on other machines need one, with https (docs/PROXIES.md).
`,
  prompt: 'Such as appview.example.org [none: only this machine]: ',
  read: readHost,
}

/** Lines of a .env file. */
export function settingLines({ members: readers, named, host }: Answers): string[] {
  const invited = [INVITE, ...(named ? [named] : [])].join(',')
  const value = { invited, named, anyone: 'open' }[readers]
  const lines = [envLine('SLIPSTREAM_MEMBERS', value)]
  return host ? [...lines, envLine('SLIPSTREAM_HOSTNAME', host)] : lines
}

function readNames(text: string): { answer: string } | { wrong: string } {
  const names = text
    .split(/[\s,]+/)
    .map((value) => value.replace(/^@/, ''))
    .filter(Boolean)
  try {
    const found = members(names.join(','))
    if (found === 'open' || found.includes(INVITE)) return { wrong: `${WRONG_NAME} “${text}”.` }
    return { answer: found.join(',') }
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    return { wrong: `${WRONG_NAME} “${text}”.` }
  }
}

const WRONG_NAME =
  'Handles look like alice.example.org, DIDs begin with did:plc: or did:web:; this is'

function readHost(text: string): { answer: string } | { wrong: string } {
  if (text === '') return { answer: '' }
  if (/^[a-z]+:\/\//i.test(text)) return { wrong: 'Only the name, without https:// before it.' }
  if (/[/\s@]/.test(text)) return { wrong: 'Only the name, without a path, spaces or @.' }
  try {
    const name = hostname(text)
    const [host] = name.split(':')
    if (/^[\d.]+$/.test(host!)) return { wrong: 'A name, not an address: a service DID needs one.' }
    if (host !== 'localhost' && !/^[^.]+(\.[^.]+)+$/.test(host!))
      return { wrong: `${WRONG_HOST} “${text}”.` }
    return { answer: name }
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    return { wrong: `${WRONG_HOST} “${text}”.` }
  }
}

const WRONG_HOST =
  'A host name looks like appview.example.org, with :port if it is not 443; this is'
