// `npm run lexicons -- --check`: what is new in the newest published packages of lexicons, as a table; exits with 1 if
// anything is. The table is also written to docs/METHODS.md. Without `--check`: writes src/base/atproto/lexicons/ from the
// versions that package.json names (generate-lexicons.ts).

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newsUpstream } from './lexicons/check.ts'
import { newsTable, writeNews } from './lexicons/news.ts'
import { npmRegistry } from './lexicons/registry.ts'
import { pinnedPackages } from './lexicons/union.ts'

const ROOT = join(import.meta.dirname, '..')
const OFFICIAL = join(ROOT, 'src/base/atproto/lexicons/official-lexicons.json')

if (process.argv.includes('--check')) {
  const { methodClasses, methodsPage } = await import('./docs/methods-page.ts')
  const classes = methodClasses()
  const news = newsUpstream({
    registry: npmRegistry(),
    packages: pinnedPackages(),
    ours: JSON.parse(readFileSync(OFFICIAL, 'utf8')),
    answerOf: (id) => classes.get(id),
  })
  writeNews(news)
  writeFileSync(join(ROOT, 'docs/METHODS.md'), methodsPage())
  const table = newsTable(news)
  console.log(table)
  const summary = process.env['GITHUB_STEP_SUMMARY']
  if (summary) appendFileSync(summary, `${table}\n`)
  if (news.rows.length > 0) process.exitCode = 1
} else {
  await import('./generate-lexicons.ts')
}
