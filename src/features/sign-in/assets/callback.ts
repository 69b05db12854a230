// The page to which a PDS sends the browser back: takes the code from the address, exchanges it for tokens, and
// goes on where signing in began. What went wrong is for the page there to say.

import { language } from './language.ts'
import { reasonOf } from './reasons.ts'
import { isEnough, oauthClient } from './session.ts'

type State = { back?: string; asked?: string }

const translations = {
  en: undefined,
  de: ['Anmeldung', 'Einen Moment …', 'Zurück'],
  ja: ['ログイン', 'しばらくお待ちください…', '戻る'],
} as const

translate()
await finish()

function translate(): void {
  const words = translations[language()]
  if (!words) return
  document.documentElement.lang = language()
  document.title = `${words[0]} · Slipstream`
  for (const [i, selector] of ['h1', '#outcome', 'main a'].entries())
    document.querySelector(selector)!.textContent = words[i]!
}

async function finish(): Promise<void> {
  try {
    const { session, state } = await (await oauthClient()).initCallback()
    const { back, asked: requested }: State = JSON.parse(state ?? '{}')
    if (!(await isEnough(session))) return goOn(back, { failed: 'too-narrow' })
    goOn(back, requested && requested !== 'use' ? { signed: requested } : {})
  } catch (error) {
    goOn('/read', { failed: reasonOf(error) })
  }
}

/** Only to our own pages, whatever the state says. */
function goOn(back: string | undefined, outcome: Record<string, string>): void {
  const to = new URL(back?.startsWith('/') ? back : '/read', location.origin)
  if (to.origin !== location.origin) to.href = `${location.origin}/read`
  for (const name of ['failed', 'signed']) to.searchParams.delete(name)
  for (const [name, value] of Object.entries(outcome)) to.searchParams.set(name, value)
  location.replace(to)
}
