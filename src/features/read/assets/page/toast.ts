// One line at the foot of the page about what just happened, with a way to undo it for some seconds.

import { CallError, SessionOverError } from './api.ts'
import { button, byId, el } from './dom.ts'
import { t } from './words.ts'

const SHOWN_MS = 8_000
let timer: ReturnType<typeof setTimeout> | undefined

/** @param undo - what "Undo" does; its failure is told like any other */
export function toast(text: string, undo?: () => Promise<void>): void {
  clearTimeout(timer)
  const undoing = () => {
    hide()
    void attempt(async () => {
      await undo!()
      toast(t('undone'))
    })
  }
  byId('toast').replaceChildren(
    el('span', {}, text),
    undo ? button(t('undo'), undoing, { class: 'quiet' }) : '',
  )
  timer = setTimeout(hide, SHOWN_MS)
}

function hide(): void {
  byId('toast').replaceChildren()
}

let onOver: () => void = () => {}

/** Called when a call finds that the session is over. */
export function whenOver(listener: () => void): void {
  onOver = listener
}

/** Runs what a control does, and says what went wrong. @returns whether it went well */
export async function attempt(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof SessionOverError) onOver()
    else toast(problemWords(error))
    return false
  }
}

export function problemWords(error: unknown): string {
  if (error instanceof CallError && error.error === 'Unreachable') return t('unreachable')
  if (error instanceof CallError && error.error === 'NotAMember') return t('notAMember')
  if (error instanceof CallError && error.error === 'MembersFull') return t('membersFull')
  if (error instanceof CallError && error.error === 'AccountBanned') return t('banned')
  if (error instanceof CallError && error.error === 'InvalidInvite') return t('badCode')
  return (error as Error).message || t('why-failed')
}
