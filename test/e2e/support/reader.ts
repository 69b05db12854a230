// A person at the client in a real browser: signs in at their own PDS's pages, and what goes wrong meanwhile.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Account } from './account.ts'

export type Reader = {
  page: Page
  /** Errors of scripts and of the page's policy, without failed requests. */
  troubles: string[]
}

const PASSWORD = 'a-password'
/** A busy machine is no failure. */
const PATIENT = { timeout: 120_000 }

export async function openReader(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Reader> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(PATIENT.timeout)
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('console', (line) => {
    const isRequest = line.text().startsWith('Failed to load resource')
    const isOurs = line.location().url.includes('127.0.0.1') || line.location().url === ''
    if (line.type() === 'error' && isOurs && !isRequest) troubles.push(line.text())
  })
  page.on('pageerror', (error) => troubles.push(String(error)))
  return { page, troubles }
}

/** Types the account's DID, and goes to the pages of its PDS. */
export async function goToPds({ page }: Reader, origin: string, { did }: Account): Promise<void> {
  await page.goto(`${origin}/read`)
  await page.fill('#name', did)
  await page.click('form.enter button[type=submit]')
  await page.waitForURL(/\/oauth\/authorize/)
}

export async function signIn(reader: Reader, origin: string, account: Account): Promise<void> {
  await goToPds(reader, origin, account)
  await consent(reader)
}

export async function consent({ page }: Reader, answer = /^authorize$/i): Promise<void> {
  const password = page.locator('input[type=password]')
  const button = page.getByRole('button', { name: answer })
  await password.or(button).first().waitFor()
  if (await password.isVisible()) {
    await password.fill(PASSWORD)
    await page.keyboard.press('Enter')
  }
  await button.click()
  await page.waitForURL(/127\.0\.0\.1:\d+\/read/)
}
