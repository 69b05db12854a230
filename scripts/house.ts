// `node scripts/house.ts [TREE]`: how large the sources are, how their rooms hang together, and which files one
// event and one warm answer run through. Of another tree too, a worktree of an earlier commit with its packages:
// to compare before and after. `--walks` prints only the latter, as JSON; test/docs/guide.test.ts reads it.

import { resolve } from 'node:path'
import { type House, measureHouse } from './house/rooms.ts'
import { type Walk, walk } from './house/walks.ts'

const MOST = 12

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
    ...Object.entries(walks).flatMap(([name, one]) => linesOf(name, one)),
  ]
  console.log(lines.join('\n'))
}

function linesOf(name: string, { files, calls, folders }: Walk): string[] {
  const head = `${name}: ${files.length} files in ${folders} folders, ${calls} calls; most of the time in`
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const byTime = files.toSorted((a, b) => b.share - a.share)
  return [head, ...byTime.slice(0, MOST).map(({ file, share }) => `  ${percent(share)} ${file}`)]
}

const [first, ...others] = process.argv.slice(2)
if (first === '--walks') console.log(JSON.stringify(await walk(resolve(others[0] ?? '.'))))
else {
  const tree = resolve(first ?? '.')
  print(measureHouse(tree), await walk(tree))
}
