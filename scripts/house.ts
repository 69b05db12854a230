// `node scripts/house.ts [TREE]`: how large the sources are, how their rooms hang together, and which files one
// event and one warm answer run through. Of another tree too, a worktree of an earlier commit with its packages:
// to compare before and after. `--walks` prints only the latter, as JSON; test/docs/guide.test.ts reads it.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readArguments } from '../src/tools/script-usage.ts'
import { type House, measureHouse } from './house/rooms.ts'
import { type Walk, walk } from './house/walks.ts'

const MOST = 12
const USAGE =
  'node scripts/house.ts [TREE] [--walks]\n\n--walks: only the files that an event and a warm answer run through, as JSON'

function print(house: House, walks: Record<string, Walk>): void {
  const { rooms, core } = house
  const lines = [
    `files and lines of src: ${rooms.files}, ${rooms.lines}; without src/features: ${core.files}, ${core.lines}`,
    `rooms one level down: ${rooms.rooms}; without src/features: ${core.rooms}`,
    `arrows between them: ${rooms.arrows}; without src/features: ${core.arrows}`,
    `two-way pairs: ${rooms.pairs.length}`,
    ...rooms.pairs.map((pair) => `  ${pair}`),
    `arrows from the core to features: ${house.toFeatures.length}`,
    ...house.toFeatures.slice(0, MOST).map((arrow) => `  ${arrow}`),
    'biggest flat folders:',
    ...house.folders.slice(0, 5).map(([folder, files]) => `  ${folder} ${files}`),
    ...Object.entries(walks).flatMap(([name, walk]) => linesOf(name, walk)),
  ]
  console.log(lines.join('\n'))
}

function linesOf(name: string, { files, calls, folders }: Walk): string[] {
  const head = `${name}: ${files.length} files in ${folders} folders, ${calls} calls; most of the time in`
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const byTime = files.toSorted((a, b) => b.share - a.share)
  return [head, ...byTime.slice(0, MOST).map(({ file, share }) => `  ${percent(share)} ${file}`)]
}

const { tree, isJson } = readArguments(USAGE, (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { walks: { type: 'boolean', default: false } },
  })
  const tree = resolve(positionals[0] ?? join(import.meta.dirname, '..'))
  if (!existsSync(join(tree, 'src'))) throw new Error(`${tree} is no checkout: it has no src.`)
  return { tree, isJson: values.walks }
})
if (isJson) console.log(JSON.stringify(await walk(tree)))
else print(measureHouse(tree), await walk(tree))
